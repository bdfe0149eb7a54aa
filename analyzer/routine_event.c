/* Routine records of events and waits for them: streams hand on how far they came. */
#include "analyzer/routine.h"

#include "analyzer/tail.h"

static inline void push(struct sc_order *o, struct sc_stream *s, uint64_t position)
{
	struct sc_when unused;

	sc_tail_push(&o->streams, s, position, &unused);
}

static inline void record(struct sc_order *o, struct sc_event *e, struct sc_stream *s,
			  const struct sc_record *r)
{
	sc_stream_settle(&o->pool, s);
	sc_tail_join_context(o, s);
	push(o, s, r->sequence + 1);
	sc_event_record(&o->events, e, &s->tail, r->sequence);
}

/* Nothing but the record that is there is waited for (E-4, E-12, E-13, E-14). */
static inline _Bool is_plain(const struct sc_order *o, const struct sc_event *e)
{
	const struct sc_event_record *current = sc_event_bound(e);

	return current && !current->is_launch && !e->is_captured && !o->has_hidden_records;
}

static inline void wait(struct sc_order *o, const struct sc_event *e, struct sc_stream *s,
			const struct sc_record *r)
{
	const struct sc_event_record *current = sc_event_bound(e);
	struct sc_wait *w;

	sc_tail_join_context(o, s);
	if (!sc_stream_knows(s, &current->snapshot) &&
	    !(s->owed && sc_point_is_in(&current->snapshot, s->owed)))
		sc_clock_add_point(&o->pool, &s->tail.base, &current->snapshot);
	w = sc_wait_log_next(&o->pool, &s->waits);
	w->sequence = r->sequence;
	w->covers.point = sc_point_get(&current->snapshot);
	w->covers.more = NULL;
	w->record = current->record;
	w->thread = r->op.thread;
	w->object = r->op.object;
	w->kind = SC_WAIT_EVENT;
	push(o, s, r->sequence + 1);
}

_Bool sc_routine_take_event(struct sc_analysis *a, const struct sc_record *r)
{
	struct sc_order *o = &a->order;
	struct sc_event *e = sc_event_recall(&o->events, r->op.object);
	struct sc_stream *s = sc_tail_stream(&o->streams, &r->op);

	if (a->settings.no_routine || a->is_seen || !e || !s || sc_op_is_pageable(&r->op))
		return 0;
	o->at = r->sequence + 1;
	if (r->op.kind == SC_OP_EVENT_RECORD) {
		record(o, e, s, r);
		return 1;
	}
	if (!is_plain(o, e))
		return 0;
	wait(o, e, s, r);
	return 1;
}
