/* Rules 129, 145, 401: contexts that are not the stream's, or are destroyed while others use them,
 * and programs that end while the device still works. */
#include <stdbool.h>
#include "analyzer/order/context_order.h"
#include "analyzer/order/host_wait.h"
#include "analyzer/rules/family.h"
#include "analyzer/rules/in_flight.h"

static const struct sc_stream *find_stream(struct sc_analysis *a, uint32_t id)
{
	const uint64_t *place = sc_u64_map_find(&a->order.streams.by_id, id);

	return place ? (const struct sc_stream *)(uintptr_t)*place : NULL;
}

/* ---- pending work ---- */

/* SC-145: it is another thread's work that a context goes with. */
static unsigned rule_of(const struct sc_stream *s, const struct sc_record *r)
{
	bool is_context = r->op.kind == SC_OP_CONTEXT_DESTROY;

	return is_context && s->last_thread != r->op.thread ? SC_RULE_145 : SC_RULE_401;
}

static struct sc_finding *file_pending(struct sc_analysis *a, const struct sc_stream *s,
				       uint64_t work, const struct sc_record *r,
				       const struct sc_step *step)
{
	struct sc_finding f = sc_finding_begin(rule_of(s, r), NULL, 0, &r->op, r->sequence);

	f.side[0].stream = 0;
	sc_finding_add_earlier(&f, work - 1, SC_SIDE_CALL);
	f.side[0].stream = s->id;
	f.fix = SC_FIX_SYNC_CONTEXT;
	f.fix_device = s->context->device;
	f.fix_before = r->sequence + 1;
	sc_in_flight_judge(a, s->tail.lane, work, step, &f);
	return sc_finding_file(a, &f, NULL, &r->op);
}

/* A program that leaves with an error has said that it gave up. What a wait for one stream ends is
 * the finding only if no other stream has work. */
static void check_exit(struct sc_analysis *a, const struct sc_record *r, const struct sc_step *step)
{
	for (struct sc_context *c = a->order.streams.contexts; c; c = c->next) {
		const struct sc_stream *s = sc_context_pending(c, a->order.host.clock, 1);
		struct sc_finding *kept = s && !r->op.value && !c->faulted
						  ? file_pending(a, s, s->last_lasting, r, step)
						  : NULL;

		a->coverage.ended_at_work |= s && a->coverage.ended_by_parent;
		if (kept && sc_context_is_alone(c, a->order.host.clock, s))
			sc_in_flight_note(a, s->tail.lane, s->last_lasting, step, kept);
	}
}

static void check_destroy(struct sc_analysis *a, const struct sc_record *r,
			  const struct sc_step *step)
{
	const struct sc_context *c = sc_context_of(&a->order.streams, r->op.context);

	if (c->abandoned && !c->faulted)
		file_pending(a, c->abandoned, c->abandoned->last_work, r, step);
}

/* ---- calls of others ---- */

static void file_gone(struct sc_analysis *a, const struct sc_record *r, uint64_t earlier)
{
	struct sc_finding f = sc_finding_begin(SC_RULE_145, NULL, 0, &r->op, r->sequence);

	sc_finding_add_earlier(&f, earlier, SC_SIDE_CALL);
	sc_finding_file(a, &f, NULL, &r->op);
}

/* Calls with a stream of a context that is gone; the driver said that it does not work. */
static void check_gone(struct sc_analysis *a, const struct sc_record *r)
{
	const struct sc_stream *s = find_stream(a, r->op.stream);

	if (s && s->context->is_dead && s->context->destroyed && r->op.result)
		file_gone(a, r, s->context->destroyed - 1);
}

/* Another thread is inside a call that waits for the context. */
static void check_waiting(struct sc_analysis *a, const struct sc_record *r)
{
	uint64_t begun = sc_host_wait_inside(&a->order, r->op.context, r->op.thread);

	if (begun)
		file_gone(a, r, begun - 1);
}

/* ---- SC-129 ---- */

struct contexts {
	struct sc_u64_map events; /* the context in which each event was created */
};

static void note_event(struct contexts *all, const struct sc_op *op)
{
	if (op->kind == SC_OP_EVENT_CREATE && op->context)
		*sc_u64_map_get(&all->events, op->object) = op->context;
	else if (op->kind == SC_OP_EVENT_DESTROY)
		sc_u64_map_remove(&all->events, op->object);
}

/* True if the stream is not of the context that counts: of a record that of the event, else the
 * current one. `device` gets the device of that. */
static bool is_elsewhere(const struct contexts *all, struct sc_analysis *a, const struct sc_op *op,
			 const struct sc_stream *s, int *device)
{
	const uint64_t *event =
		op->kind == SC_OP_EVENT_RECORD ? sc_u64_map_find(&all->events, op->object) : NULL;

	*device = event ? sc_context_of(&a->order.streams, (uint32_t)*event)->device : op->device;
	return event ? *event != s->context->id
		     : s->context->device != op->device || op->flags & SC_FLAG_OTHER_CONTEXT;
}

/* The driver refused it, and the stream is not of the event's device, or of the current one. */
static void check_device(const struct contexts *all, struct sc_analysis *a, const struct sc_op *op,
			 uint64_t sequence)
{
	const struct sc_stream *s = find_stream(a, op->stream);
	struct sc_finding f;
	int device;

	if (!s || op->flags & (SC_FLAG_DEAD_HANDLE | SC_FLAG_LIBRARY) ||
	    !is_elsewhere(all, a, op, s, &device))
		return;
	f = sc_finding_begin(SC_RULE_129, NULL, 0, op, sequence);
	if (s->context->device != device) { /* else it is another context of the device */
		f.fix = op->kind == SC_OP_KERNEL ? SC_FIX_SET_DEVICE : SC_FIX_EVENT_DEVICE;
		f.fix_device = s->context->device;
	}
	sc_finding_file(a, &f, NULL, op);
}

static bool is_refused(const struct sc_op *op)
{
	return (op->kind == SC_OP_KERNEL || op->kind == SC_OP_EVENT_RECORD) &&
	       (op->result == SC_RESULT_INVALID_HANDLE || op->result == SC_RESULT_INVALID_CONTEXT);
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	const struct sc_op *op = &r->op;
	bool is_destroyed = op->kind == SC_OP_CONTEXT_DESTROY && sc_op_took_effect(op);

	note_event(state, op);
	if (op->kind == SC_OP_EXIT)
		check_exit(a, r, step);
	if (is_refused(op))
		check_device(state, a, op, r->sequence);
	if (a->has_ended)
		return;
	if (is_destroyed)
		check_destroy(a, r, step);
	if (op->phase == SC_PHASE_END || sc_op_kind_class(op->kind) == SC_CLASS_DEFINE)
		return;
	if (is_destroyed)
		check_waiting(a, r);
	else if (op->stream)
		check_gone(a, r);
}

static void finish(void *state, struct sc_analysis *a)
{
	struct contexts *all = state;

	(void)a;
	sc_u64_map_fini(&all->events);
}

const struct sc_rule_family sc_rules_context = {
	.state_bytes = sizeof(struct contexts),
	.step = check_record,
	.finish = finish,
};
