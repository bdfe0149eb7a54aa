/* Moved operations: all that a line enqueues goes into another stream. */
#include "extensions/repair/planner/moved.h"

#include <stdbool.h>
#include <string.h>

#define UNMOVED                                                                        \
	(SC_FLAG_SYNC | SC_FLAG_SYNC_MEMOPS | SC_FLAG_LIBRARY | SC_FLAG_PROGRAMMATIC | \
	 SC_FLAG_LAUNCH_COMPLETION | SC_FLAG_OTHER_CONTEXT)

/* True if the call has a stream as an argument. */
static bool has_argument(const struct sc_applied *a, const struct sc_op *op)
{
	const char *call = op->call ? sc_reader_string(a->places.reader, op->call) : "";

	if (op->flags & UNMOVED || op->phase != SC_PHASE_ONCE)
		return 0;
	switch (op->kind) {
	case SC_OP_HOST_FUNC: return 1;
	case SC_OP_KERNEL: /* cuLaunch and cuLaunchGrid, of CUDA 2, have none */
		return strcmp(call, "cuLaunch") != 0 && strcmp(call, "cuLaunchGrid") != 0;
	case SC_OP_COPY:
	case SC_OP_SET:
	case SC_OP_PREFETCH: return !*call || strstr(call, "Async");
	default: return 0;
	}
}

/* The stream that the other line names; before it has run, the one that it will name. */
static struct sc_applied_stream target_of(const struct sc_applied_edit *e, const struct sc_op *op)
{
	if (e->last)
		return e->streams.items[e->last - 1];
	return (struct sc_applied_stream){
		.stream = e->edit->stream, .context = op->context, .thread = op->thread};
}

/* Nothing is moved into the legacy stream: what it orders besides would be lost with the next
 * change. */
static bool can_go(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *op,
		   const struct sc_applied_stream *s)
{
	/* Whose default stream it is, is known once it was used. */
	uint32_t defaults = SC_FLAG_LEGACY | (e->last ? 0 : SC_FLAG_PER_THREAD);

	if (!has_argument(a, op) || (e->old && e->old != op->stream) || s->context != op->context)
		sc_applied_flaw(e, SC_FLAW_SEVERAL);
	else if (sc_applied_flags(a, s->stream) & defaults)
		sc_applied_flaw(e, SC_FLAW_REACH);
	else if (a->captures)
		sc_applied_flaw(e, SC_FLAW_CAPTURED);
	else if (sc_trace_facts_is_held(a->facts, s->stream, a->at) ||
		 sc_trace_facts_has_waited(a->facts, op->stream, a->at))
		sc_applied_flaw(e, SC_FLAW_HELD);
	else
		return sc_applied_can_name(a, e, op, s);
	return 0;
}

static void move(struct sc_applied *a, struct sc_applied_edit *e, struct sc_op *op)
{
	struct sc_applied_stream s = target_of(e, op);

	if (!can_go(a, e, op, &s))
		return;
	e->old = op->stream;
	e->target = op->stream = s.stream;
	e->moved = a->at + 1;
	e->edit->calls++;
	sc_price_device(&a->price, e->edit, sc_price_last(&a->price, s.stream), a->at);
}

/* Work that the target gets later waits for what moved. */
static void follow(struct sc_applied *a, const struct sc_op *op, bool is_enqueued)
{
	for (size_t i = 0; i < a->edits.count; i++) {
		struct sc_applied_edit *e = &a->edits.items[i];

		if (e->edit->kind != SC_EDIT_STREAM || !e->target || op->stream != e->target)
			continue;
		if (op->kind == SC_OP_STREAM_CREATE) /* it was not there yet */
			sc_applied_flaw(e, SC_FLAW_REACH);
		if (is_enqueued && e->moved && e->moved - 1 != a->at) {
			sc_price_device(&a->price, e->edit, e->moved, a->at);
			e->moved = 0;
		}
	}
}

void sc_moved_act(struct sc_applied *a, struct sc_op *op)
{
	bool is_enqueued = op->stream && sc_op_kind_class(op->kind) == SC_CLASS_ENQUEUE &&
			   !(op->flags & (SC_FLAG_NODE | SC_FLAG_DEAD_HANDLE | SC_FLAG_CAPTURED));
	const uint32_t *place;

	follow(a, op, is_enqueued);
	if (!is_enqueued)
		return;
	for (place = sc_places_of(&a->places, op->stack, a->at); *place != SC_PLACE_END; place++)
		for (uint32_t i = a->first_use.items[*place]; i; i = a->uses.items[i - 1].next) {
			const struct sc_applied_use *use = &a->uses.items[i - 1];
			struct sc_applied_edit *e = &a->edits.items[use->edit];

			if (e->edit->kind != SC_EDIT_STREAM || use->is_after)
				continue;
			move(a, e, op);
		}
}

void sc_moved_name(struct sc_applied_edit *e, const struct sc_op *op)
{
	if (e->streams.count > 1 || (e->target && op->stream != e->target))
		sc_applied_flaw(e, SC_FLAW_SEVERAL);
}
