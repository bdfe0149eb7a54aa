/* What is kept of a call that is repeated from the same place (hook/site.h), and where.
 *
 * Places are a thread's own: it alone reads and writes them, and a handler that interrupts it while
 * it does (sc_self.in_site) writes none.
 */
#pragma once

#include "interposer/call/call.h"
#include "interposer/core/thread.h"
#include "interposer/hook/site_what.h"
#include "interposer/object/handle.h"
#include "interposer/stack/recent.h"
#include "trace/op.h"

#define SC_SITE_PLACES	    1024 /* of a thread */
#define SC_SITE_PLACE_BITS  10
#define SC_SITE_WAYS	    4 /* places of calls that differ in their stacks alone, or meet */
#define SC_SITE_PARAMS	    12
#define SC_SITE_VALUE_BYTES 4096 /* of all parameters: PyTorch's lists of tensors take as much */
#define SC_SITE_HEAD_BYTES  offsetof(struct sc_op, time_ns)

/* What its record is made of. */
enum sc_site_way {
	SC_SITE_HANDLES,  /* handles and parameters alone */
	SC_SITE_OPERANDS, /* memory, which is looked up each time */
	SC_SITE_ALLOCATE, /* memory that the call makes: written at its exit (site_memory.h) */
	SC_SITE_FREE	  /* memory that the call frees (site_memory.h) */
};

/* Sorted by when it is needed: a launch with eight words of parameters and links reads four lines.
 */
struct sc_site {
	uint64_t what; /* 0: empty */
	const void *object, *stream;
	const void *frame;     /* of the wrapper */
	uint64_t base, caller; /* there: of the frame before, and where it returns to */
	unsigned changes;
	uint8_t links, params, slots;
	bool needs_base : 1; /* the stack is this one only with that base */
	bool asks_python : 1;
	bool is_plain : 1; /* parameters of 4 or 8 bytes without gaps */
	bool has_gaps : 1;
	bool is_given : 1; /* the host's memory only by parameters; false: it had none */
	uint8_t way : 3;   /* enum sc_site_way */
	void *real;

	uint8_t head[SC_SITE_HEAD_BYTES]; /* of the op; the rest but for the time is 0 */
	uint32_t bytes;			  /* of the parameters */
	const void *context;		  /* that has to be current, NULL: any */

	uint64_t low, high; /* where the links are */
	uint64_t sum;	    /* of the first slot, without time and stack */
	struct sc_handle_ref its_object, its_stream;
	void (*finish)(struct sc_call *call); /* at the exit, or NULL */
	struct {
		uint16_t offset, bytes;
	} param[SC_SITE_PARAMS];
	uint64_t link[SC_RECENT_WORDS]; /* see struct sc_recent_words */
} __attribute__((aligned(SC_LINE)));
_Static_assert(offsetof(struct sc_site, head) == SC_LINE, "the first line identifies the call");
_Static_assert(offsetof(struct sc_site, low) == 2 * SC_LINE, "the second is the op");

/* The first of the SC_SITE_WAYS places where it may be: the others are its neighbours. */
static inline struct sc_site *sc_site_place(const struct sc_thread *self, uint64_t what,
					    const void *object, const void *stream,
					    const void *frame)
{
	uint64_t word = (uint64_t)object ^ (uint64_t)stream << 7 ^ what << 20 ^
			sc_registers_of_caller(frame).pc << 3 ^ (uint64_t)frame << 11;

	return &self->sites[word * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SC_SITE_PLACE_BITS) &
			    ~(SC_SITE_WAYS - 1u)];
}

/* The call is the one of the site, as far as its handles and the frame say. */
static inline bool sc_site_is_this(const struct sc_site *s, uint64_t what, const void *object,
				   const void *stream, const void *frame)
{
	struct sc_registers from = sc_registers_of_caller(frame);

	return s->what == what && s->object == object && s->stream == stream && s->frame == frame &&
	       (!s->needs_base || s->base == from.base) && s->caller == from.pc;
}
