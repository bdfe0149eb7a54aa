/* Declarations of the program: checked, bounded and written down. */
#include "interposer/call/declare.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include "include/streamcheck/calls.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/stack/stack.h"
#include "interposer/python/python.h"
#include "interposer/object/memory.h"
#include "interposer/object/handle.h"
#include "interposer/core/thread.h"
#include "interposer/core/arena.h"
#include "interposer/core/scratch.h"
#include "interposer/core/windows.h"
#include "interposer/core/module.h"

#define EXPORT	      __attribute__((visibility("default")))
#define MOST_TEXT     (16u << 10)
#define MOST_ACCESSES 64 /* of one launch */

/* For the next launch of the thread. */
struct declared {
	uint32_t count;
	bool is_full;
	struct sc_access list[MOST_ACCESSES];
};

struct sc_declare_thread {
	struct declared *next; /* owned, made on first use */
};

SC_THREAD_STATE(declare)

/* NULL: no memory, or no thread said anything yet. */
static struct declared *next(bool is_wanted)
{
	struct sc_declare_thread *own = sc_declare_thread();

	if (!own->next && is_wanted)
		own->next = sc_arena_take(SC_ARENA_DECLARED, sizeof(*own->next));
	return own->next;
}

static void give_back(void)
{
	SC_ARENA_GIVE(DECLARED, sc_declare_thread()->next);
}

/* True if the call is to be written; the caller leaves in any case. */
static bool enter(int *saved)
{
	*saved = errno;
	if (sc_self.busy)
		return false;
	if (!sc_session_is_live())
		sc_session_start();
	sc_self.busy++;
	return true;
}

static void leave(int saved)
{
	sc_self.busy--;
	errno = saved;
}

static void put(struct sc_op *op, const char *text)
{
	struct sc_attachment part = {SC_ATTACH_TEXT, 0, text};

	if (!sc_session_is_live())
		return;
	op->stack = sc_python_stack(sc_stack_of_report().id);
	part.bytes = text ? (uint32_t)strnlen(text, MOST_TEXT) : 0;
	sc_put_op(op, &part, text ? 1 : 0);
}

static void name(uint32_t id, uint64_t value, const char *text)
{
	struct sc_op op = sc_put_new(SC_OP_NAME);

	op.object = id;
	op.value = value;
	if (id && text)
		put(&op, text);
}

static void name_stream(const void *stream, const char *text)
{
	struct sc_handle *h;
	int saved;

	if (!enter(&saved))
		return;
	h = sc_session_is_live() ? sc_stream_resolve(stream, false, sc_context_current()) : NULL;
	name(h ? h->id : 0, 0, text);
	leave(saved);
}

static void name_event(const void *event, const char *text)
{
	struct sc_handle *h;
	int saved;

	if (!enter(&saved))
		return;
	h = sc_session_is_live() && event ? sc_handle_see(SC_HANDLE_EVENT, event) : NULL;
	name(h ? h->id : 0, 1, text);
	leave(saved);
}

/* Host memory is known by its host address. */
static uint64_t canonical(const void *start)
{
	struct sc_known_allocation a;
	uint64_t address = (uint64_t)start;

	if (sc_memory_look_up(&sc_memory, address, &a) && a.host)
		return a.host + (address - a.start);
	return address;
}

static void put_range(enum sc_op_kind kind, const void *start, size_t bytes, const char *text)
{
	struct sc_op op = sc_put_new(kind);

	op.dst = canonical(start);
	op.bytes = bytes;
	put(&op, text ? text : "");
}

void sc_declare_name_memory(const void *start, size_t bytes, const char *text)
{
	int saved;

	if (!enter(&saved))
		return;
	put_range(SC_OP_LABEL, start, bytes, text);
	leave(saved);
}

static void benign(const void *start, size_t bytes, const char *reason)
{
	int saved;

	if (!enter(&saved))
		return;
	put_range(SC_OP_BENIGN, start, bytes, reason);
	leave(saved);
}

/* ---- pieces that pools hand out ---- */

/* Its owner's stream; during a capture such memory may be the graph's, as a pool without a stream
 * may not say. */
static void set_pool_stream(struct sc_op *op, const void *stream)
{
	struct sc_handle *h = NULL;

	if (stream != STREAMCHECK_NO_STREAM)
		h = sc_stream_resolve(stream, false, sc_context_current());
	if (h) {
		op->stream = h->id;
		op->context = h->context;
	}
	if (h ? sc_stream_captures(h, stream)
	      : atomic_load_explicit(&sc_session.captures, memory_order_relaxed) > 0)
		op->flags |= SC_FLAG_CAPTURED;
}

void sc_declare_put_piece(const struct sc_piece_call *call)
{
	struct sc_known_allocation a;
	struct sc_op op = sc_put_new(call->kind);

	if (!call->start || !sc_session_is_live())
		return;
	op.dst = canonical(call->start);
	op.bytes = call->bytes;
	op.value = call->order;
	op.stack = call->stack;
	if (sc_memory_look_up(&sc_memory, (uint64_t)call->start, &a)) {
		op.dst_mem = a.memory;
		op.context = a.context;
	}
	set_pool_stream(&op, call->stream);
	sc_put_op(&op, NULL, 0);
}

static void put_piece(enum sc_op_kind kind, const void *start, size_t bytes, const void *stream)
{
	struct sc_piece_call call = {
		.kind = kind, .start = start, .bytes = bytes, .stream = stream};
	int saved;

	if (!enter(&saved))
		return;
	if (sc_session_is_live())
		call.stack = sc_python_stack(sc_stack_of_report().id);
	sc_declare_put_piece(&call);
	leave(saved);
}

void sc_declare_piece(const void *start, size_t bytes, const void *stream)
{
	if (bytes)
		put_piece(SC_OP_PIECE, start, bytes, stream);
}

void sc_declare_piece_end(const void *start, const void *stream)
{
	put_piece(SC_OP_PIECE_FREE, start, 0, stream);
}

void sc_declare_pieces_end(const void *start, size_t bytes)
{
	if (bytes)
		put_piece(SC_OP_PIECE_FREE, start, bytes, STREAMCHECK_NO_STREAM);
}

void sc_declare_piece_use(const void *start, const void *stream)
{
	if (stream != STREAMCHECK_NO_STREAM)
		put_piece(SC_OP_PIECE_USE, start, 0, stream);
}

/* Texts as one, in the thread's scratch. */
static const char *join(const char *before, const char *first, const char *middle,
			const char *second)
{
	char *scratch = (char *)sc_thread_scratch();

	if (!scratch)
		return "";
	snprintf(scratch, MOST_TEXT, "%s%.4000s%s%.8000s", before, first ? first : "", middle,
		 second ? second : "");
	return scratch;
}

static void put_alone(enum sc_op_kind kind, uint32_t object, const char *text)
{
	struct sc_op op;
	int saved;

	if (!enter(&saved))
		return;
	op = sc_put_new(kind);
	op.object = object;
	put(&op, text);
	leave(saved);
}

static void declare(const char *text)
{
	put_alone(SC_OP_DECLARE, 0, text ? text : "");
}

static void quiet_end(void)
{
	put_alone(SC_OP_QUIET_END, 0, NULL);
}

/* Joined when nothing else of the thread uses its scratch. */
static void put_joined(enum sc_op_kind kind, const char *before, const char *first,
		       const char *middle, const char *second)
{
	struct sc_op op;
	int saved;

	if (!enter(&saved))
		return;
	op = sc_put_new(kind);
	put(&op, join(before, first, middle, second));
	leave(saved);
}

static void declare_kernel(const char *pattern, const char *footprint)
{
	put_joined(SC_OP_DECLARE, "kernel ", pattern, "\n", footprint);
}

static void quiet_begin(const char *rules, const char *reason)
{
	put_joined(SC_OP_QUIET_BEGIN, "", rules, ": ", reason);
}

unsigned sc_declare_range_id(void)
{
	static atomic_uint ranges;

	return 1 + atomic_fetch_add_explicit(&ranges, 1, memory_order_relaxed);
}

static unsigned range_begin(const char *text)
{
	unsigned id = sc_declare_range_id();

	put_alone(SC_OP_RANGE_START, id, text ? text : "");
	return id;
}

static void range_end(unsigned range)
{
	if (range)
		put_alone(SC_OP_RANGE_END, range, NULL);
}

static void window_begin(void)
{
	int saved;

	if (!enter(&saved))
		return;
	sc_windows_begin_call(SC_WINDOW_CALLS);
	leave(saved);
}

static void window_end(void)
{
	int saved;

	if (!enter(&saved))
		return;
	sc_windows_end_call(SC_WINDOW_CALLS);
	leave(saved);
}

/* A footprint that does not fit is none: half of one would hide the other half. */
static void launch(const void *start, size_t width, size_t rows, size_t pitch, int mode)
{
	struct declared *n;
	struct sc_call_operand where;
	int saved;

	if (mode < SC_READ || mode > SC_ATOMIC || !width || !rows || !enter(&saved))
		return;
	n = next(true);
	if (n)
		n->is_full |= n->count == MOST_ACCESSES; /* then what is known without it counts */
	if (n && !n->is_full) {
		where = sc_memory_classify((uint64_t)start, width, false);
		sc_self.declared = 1;
		n->list[n->count++] = (struct sc_access){.base = where.address,
							 .width = width,
							 .pitch = pitch,
							 .rows = rows,
							 .slices = 1,
							 .mode = (uint8_t)mode,
							 .memory = where.memory,
							 .how = SC_HOW_PROGRAM};
	}
	leave(saved);
}

void sc_declare_forget(void)
{
	struct declared *n = next(false);

	if (n) {
		n->count = 0;
		n->is_full = false;
	}
	sc_self.declared = 0;
}

void sc_declare_attach(struct sc_call *call)
{
	const struct declared *n = next(false);

	if (n && n->count && !n->is_full)
		sc_call_attach(call, SC_ATTACH_ACCESSES, n->list,
			       n->count * (uint32_t)sizeof(*n->list));
	sc_declare_forget();
}

EXPORT const struct streamcheck_calls *streamcheck_offer(void);

EXPORT const struct streamcheck_calls *streamcheck_offer(void)
{
	static const struct streamcheck_calls calls = {.bytes = sizeof(calls),
						       .name_stream = name_stream,
						       .name_event = name_event,
						       .name_memory = sc_declare_name_memory,
						       .declare = declare,
						       .launch = launch,
						       .benign = benign,
						       .quiet_begin = quiet_begin,
						       .quiet_end = quiet_end,
						       .declare_kernel = declare_kernel,
						       .pool_allocate = sc_declare_piece,
						       .pool_free = sc_declare_piece_end,
						       .pool_use = sc_declare_piece_use,
						       .range_begin = range_begin,
						       .range_end = range_end,
						       .window_begin = window_begin,
						       .window_end = window_end};

	return &calls;
}

const struct sc_module sc_module_declare = {.thread_end = give_back};
