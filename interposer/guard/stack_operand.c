/* Operands on the stack, and functions that return. */
#include "interposer/guard/stack_operand.h"

#include <pthread.h>
#include "interposer/guard/host.h"
#include "interposer/core/put.h"
#include "interposer/stack/unwind.h"
#include "interposer/core/thread.h"

#define MOST_FRAMES 128
#define MOST_STACK  (UINT64_C(64) << 20) /* an operand further up is not on this stack */
#define MOST_ENDED  16			 /* of one return; more are not distinguished */

/* Where the calling thread's return addresses lie, innermost first, and what they are: two calls
 * of one function put theirs in the same place. */
struct places {
	uint64_t at[MOST_FRAMES], value[MOST_FRAMES];
	unsigned count;
	bool is_cut; /* the stack is deeper */
};

static void unwind(struct places *p)
{
	uint64_t frames[MOST_FRAMES], places[MOST_FRAMES];
	unsigned count = sc_unwind(SC_REGISTERS_HERE(), frames, places, MOST_FRAMES);

	p->count = 0;
	p->is_cut = count == MOST_FRAMES;
	for (unsigned i = 1; i < count; i++) {
		if (!places[i])
			continue;
		p->value[p->count] = frames[i];
		p->at[p->count++] = places[i];
	}
}

/* The first return address above an address; `count`: it is on no frame. */
static unsigned above(const struct places *p, uint64_t address)
{
	unsigned i = 0;

	while (i < p->count && p->at[i] <= address)
		i++;
	return i;
}

static bool is_near(uint64_t address)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);

	return address > here && address - here < MOST_STACK;
}

bool sc_stack_operand_is_on_stack(uint64_t address)
{
	struct places p;

	if (!is_near(address))
		return false;
	unwind(&p);
	return above(&p, address) < p.count;
}

void sc_stack_operand_find(struct sc_watchpoint *a)
{
	struct places p;
	unsigned at;

	if (!is_near(a->start))
		return;
	unwind(&p);
	at = above(&p, a->start);
	if (at == p.count) {
		if (p.is_cut && a->start >= sc_self.stack_start && a->start < sc_self.stack_end)
			sc_put_gap(SC_GAP_frames, 1);
		return;
	}
	a->frame = p.at[at];
	a->caller = p.value[at];
	a->base = p.at[p.count - 1];
	a->thread = sc_thread_id();
	sc_self.framed++;
}

/* ---- the end ---- */

struct ended {
	const struct places *places; /* NULL: all of the thread's */
	uint32_t thread;
	unsigned left, count;
	uint64_t start[MOST_ENDED], bytes[MOST_ENDED];
};

/* With the thread its own stack ends; that of a fiber, which began there, goes on elsewhere. */
static bool is_own_stack(const struct sc_watchpoint *a)
{
	uint64_t top = ((uint64_t)pthread_self() | (SC_PAGE - 1)) + 1; /* as in unprotected.c */

	return sc_self.own_stack && sc_self.own_stack <= a->base && a->base < top;
}

/* Not if the unwinding ended elsewhere than then: another stack, or a broken one. */
static bool has_returned(const struct sc_watchpoint *a, const struct places *p)
{
	if (!p)
		return is_own_stack(a);
	if (!p->count || p->at[p->count - 1] != a->base)
		return false;
	for (unsigned i = 0; i < p->count; i++) {
		if (p->at[i] == a->frame && p->value[i] == a->caller)
			return false;
	}
	return true;
}

static bool is_ended(struct sc_watchpoint *a, void *context)
{
	struct ended *e = context;

	if (!a->frame || a->thread != e->thread)
		return false;
	if (!has_returned(a, e->places)) {
		e->left++;
		return false;
	}
	if (e->count == MOST_ENDED) {
		sc_put_gap(SC_GAP_frames, 1);
		return true;
	}
	e->start[e->count] = a->start;
	e->bytes[e->count++] = a->end - a->start;
	return true;
}

static void check(const struct places *places)
{
	struct ended e = {.places = places, .thread = sc_self.id};

	sc_watchpoint_remove_if(is_ended, &e);
	sc_self.framed = e.left;
	for (unsigned i = 0; i < e.count; i++)
		sc_host_put(SC_OP_HOST_FREE, e.start[i], e.bytes[i], SC_FLAG_FRAME);
}

void sc_stack_operand_check(void)
{
	struct places p;

	if (!sc_self.framed)
		return;
	unwind(&p);
	check(&p);
}

void sc_stack_operand_end_thread(void)
{
	if (sc_self.framed)
		check(NULL);
}
