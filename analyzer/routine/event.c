/* Routine records of events and waits for them: how far a stream came is passed to other
 * streams. */
#include <stdbool.h>
#include "analyzer/routine/routine.h"

#include "analyzer/order/context_order.h"

/* Leaves out the stream's `owed` clock: a caller that waits for the record does so later, and so
 * knows that clock already (0.2). So does a callback: `owed` is only set while no callback is
 * enqueued. */
static inline void record(struct sc_order *o, struct sc_event *e, struct sc_stream *s,
			  struct sc_step *step)
{
	sc_stream_join_context(&o->streams, s);
	sc_stream_push(&o->streams, s, step->sequence + 1, &step->when);
	sc_event_record(&o->events, e, &s->tail, step->sequence);
}

/* True if the wait is only for the event's current record (E-4, E-12, E-13, E-14). */
static inline bool is_plain(const struct sc_order *o, const struct sc_event *e)
{
	const struct sc_event_record *current = sc_event_bound(e);

	return current && !current->launch && !e->is_captured && !o->has_hidden_records;
}

static inline void log_wait(struct sc_order *o, const struct sc_event_record *current,
			    struct sc_stream *s, const struct sc_step *step)
{
	struct sc_wait w = {.sequence = step->sequence,
			    .covers.point = current->snapshot,
			    .record = current->record,
			    .thread = step->op->thread,
			    .object = step->op->object,
			    .kind = SC_WAIT_EVENT};

	sc_wait_log_add(&o->pool, &s->waits, &w);
}

static inline void wait(struct sc_order *o, const struct sc_event *e, struct sc_stream *s,
			struct sc_step *step)
{
	const struct sc_event_record *current = sc_event_bound(e);

	sc_stream_join_context(&o->streams, s);
	step->is_known = sc_stream_knows(s, &current->snapshot) ||
			 (s->owed && sc_point_is_in(&current->snapshot, s->owed));
	if (!step->is_known) {
		sc_clock_join(&o->pool, &s->tail.base, s->owed);
		sc_clock_join_point(&o->pool, &s->tail.base, &current->snapshot);
		sc_clock_set(&o->pool, &s->owed, NULL);
	}
	log_wait(o, current, s, step);
	sc_stream_push(&o->streams, s, step->sequence + 1, &step->when);
}

/* Fills the parts of the step that only a caller which looks at the step needs. */
static void begin_seen(struct sc_order *o, const struct sc_record *r, struct sc_step *step)
{
	sc_order_begin(o, r, step);
	step->host = sc_order_host_now(o);
	step->is_enqueued = 1;
}

enum sc_routine sc_routine_take_event(struct sc_analysis *a, const struct sc_record *r,
				      struct sc_step *step)
{
	struct sc_order *o = &a->order;
	struct sc_event *e = sc_event_recall(&o->events, r->op.object);
	struct sc_stream *s = sc_stream_of(&o->streams, r->op.stream, r->op.context);
	bool is_record = r->op.kind == SC_OP_EVENT_RECORD, is_seen = a->is_seen;

	if (a->settings.no_routine || !e || !s || sc_op_is_pageable(&r->op) ||
	    (!is_record && !is_plain(o, e)) || (is_seen && o->host.is_strict))
		return SC_ROUTINE_NOT;
	o->at = r->sequence + 1;
	if (is_seen)
		begin_seen(o, r, step);
	step->op = &r->op;
	step->sequence = r->sequence;
	step->stream = s;
	if (is_seen)
		sc_stream_settle(&o->pool, s);
	if (is_record)
		record(o, e, s, step);
	else
		wait(o, e, s, step);
	return is_seen ? SC_ROUTINE_SEEN : SC_ROUTINE_TAKEN;
}
