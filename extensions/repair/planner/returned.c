/* Returned functions: a wait where a stack frame is known to have ended. The function returned
 * somewhere after its thread's op before; what a wait costs is counted from there. */
#include "extensions/repair/planner/returned.h"

#include <stdbool.h>

#define BUFFERS_MOST 256 /* of one line, that no frame has taken along yet */

void sc_returned_use(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *op)
{
	struct sc_applied_buffer b = {{op->src, op->dst}, e->last - 1, op->thread};

	if (op->kind != SC_OP_COPY)
		return;
	/* Whoever must not wait at the op must not wait for it later without a reason. */
	if (sc_trace_facts_is_held(a->facts, op->stream, a->at) ||
	    sc_trace_facts_is_running(a->facts, op->stream, a->at))
		sc_applied_flaw(e, SC_FLAW_HELD);
	if (e->buffers.count == BUFFERS_MOST) {
		for (size_t i = 1; i < BUFFERS_MOST; i++)
			e->buffers.items[i - 1] = e->buffers.items[i];
		e->buffers.count--;
	}
	sc_vector_push(&e->buffers, b);
}

static bool is_in(const struct sc_applied_buffer *b, const struct sc_op *end)
{
	for (unsigned i = 0; i < 2; i++)
		if (b->address[i] >= end->dst && b->address[i] - end->dst < end->bytes)
			return b->thread == end->thread;
	return 0;
}

static uint64_t time_before(const struct sc_applied *a, const struct sc_op *op)
{
	const uint64_t *time_ns = sc_u64_map_find(&a->thread_times, op->thread);

	return time_ns ? *time_ns : op->time_ns;
}

static void wait(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *op,
		 const struct sc_applied_stream *s)
{
	struct sc_op sync = sc_applied_call(op, SC_OP_STREAM_SYNC), at = *op;

	if (sc_trace_facts_is_held(a->facts, s->stream, a->at) ||
	    sc_trace_facts_is_running(a->facts, s->stream, a->at) ||
	    sc_trace_facts_is_pending(a->facts, s->stream, s->at, a->at)) {
		sc_applied_flaw(e, SC_FLAW_HELD);
		return;
	}
	if (!sc_applied_can_name(a, e, op, s))
		return;
	sync.stream = s->stream;
	sync.context = s->context;
	sc_applied_wait_host(a, e, sync);
	at.time_ns = time_before(a, op);
	sc_price_host(&a->price, e->edit, sc_price_last(&a->price, s->stream), &at);
}

/* Waits for what was given memory of the frame, and forgets it. */
static void end_frame(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *op)
{
	size_t kept = 0, last = SIZE_MAX;

	for (size_t i = 0; i < e->buffers.count; i++) {
		struct sc_applied_buffer b = e->buffers.items[i];

		if (!is_in(&b, op)) {
			e->buffers.items[kept++] = b;
			continue;
		}
		if (b.stream != last)
			wait(a, e, op, &e->streams.items[b.stream]);
		last = b.stream;
	}
	e->buffers.count = kept;
}

void sc_returned_act(struct sc_applied *a, const struct sc_op *op)
{
	bool is_end = op->kind == SC_OP_HOST_FREE && op->flags & SC_FLAG_FRAME;

	for (size_t i = 0; is_end && i < a->edits.count; i++)
		if (a->edits.items[i].edit->kind == SC_EDIT_FRAME)
			end_frame(a, &a->edits.items[i], op);
	if (op->thread && a->price.times->list.count)
		*sc_u64_map_get(&a->thread_times, op->thread) = op->time_ns;
}
