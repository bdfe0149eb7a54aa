/* Rules 306, 307: events that are recorded for nothing, or that measure time for nothing.
 *
 * Counted by line (advice_tally.h). An event is judged when it is destroyed, or at the end: only
 * then is it certain that the event was not used.
 */
#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/rules/advice_tally.h"
#include "analyzer/rules/family.h"
#include "base/heap.h"

#define TIMED_RECORDS 64   /* records of one event that make timing worth switching off */
#define UNUSED_MOST   4096 /* events that were destroyed without a use and are kept until the end */
#define RECENT	      1024 /* events that are found without a search */

/* What became of an event. */
struct event_use {
	uint32_t id; /* key */
	bool has_timing, is_elapsed, is_used, is_foreign;
	uint64_t records;
	uint64_t created, recorded;  /* sequences */
	struct sc_op create, record; /* the first one */
	UT_hash_handle hh;
};

struct events {
	struct event_use *by_id;	  /* owned */
	struct event_use *recent[RECENT]; /* borrowed: by low bits of the id, or NULL */
	uint32_t unused;
};

static struct event_use *event_of(struct events *s, uint32_t id)
{
	struct event_use **recent = &s->recent[id % RECENT], *e = *recent;

	if (e && e->id == id)
		return e;
	HASH_FIND(hh, s->by_id, &id, sizeof(id), e);
	if (!e) {
		e = sc_heap_xcalloc(1, sizeof(*e));
		e->id = id;
		HASH_ADD(hh, s->by_id, id, sizeof(e->id), e);
	}
	*recent = e;
	return e;
}

static void judge(struct sc_analysis *a, const struct event_use *e)
{
	bool is_timed_for_nothing =
		e->has_timing && !e->is_elapsed && e->is_used && e->records >= TIMED_RECORDS;

	if (e->is_foreign || a->order.has_hidden_records)
		return;
	if (e->records) {
		sc_advice_tally_count(a, SC_RULE_306, &e->record, e->recorded, !e->is_used);
		sc_advice_tally_of(a, SC_RULE_306, &e->record, e->recorded)->hits +=
			e->is_used ? 0 : e->records - 1;
	}
	if (e->create.kind)
		sc_advice_tally_count(a, SC_RULE_307, &e->create, e->created, is_timed_for_nothing);
}

static void drop(struct events *s, struct event_use *e)
{
	s->recent[e->id % RECENT] = NULL;
	HASH_DEL(s->by_id, e);
	free(e);
}

static void create_event(struct events *s, const struct sc_op *op, uint64_t sequence)
{
	struct event_use *e = event_of(s, op->object);

	e->has_timing = !(op->flags & SC_FLAG_NO_TIMING);
	e->is_foreign = op->flags & (SC_FLAG_INTERPROCESS | SC_FLAG_LIBRARY);
	e->create = *op;
	e->created = sequence;
}

/* A record in the legacy stream orders the blocking streams (S-3), used or not. */
static void record_event(struct events *s, const struct sc_op *op, uint64_t sequence,
			 bool is_barrier)
{
	struct event_use *e = event_of(s, op->object);

	if (!e->records++) {
		e->record = *op;
		e->recorded = sequence;
	}
	e->is_used |= (op->flags & (SC_FLAG_CAPTURED | SC_FLAG_NODE | SC_FLAG_LIBRARY)) != 0 ||
		      is_barrier;
}

static void destroy_event(struct events *s, struct sc_analysis *a, const struct sc_op *op)
{
	struct event_use *e = event_of(s, op->object);

	if (!e->is_used && ++s->unused < UNUSED_MOST)
		return; /* a destroyed event may be used all the same: that is SC-117 */
	judge(a, e);
	drop(s, e);
}

static void note_event(struct events *s, struct sc_analysis *a, const struct sc_step *step,
		       const struct sc_op *op, uint64_t sequence)
{
	switch (op->kind) {
	case SC_OP_EVENT_CREATE: create_event(s, op, sequence); break;
	case SC_OP_EVENT_RECORD:
		record_event(s, op, sequence, step->stream && sc_stream_is_legacy(step->stream));
		break;
	case SC_OP_EVENT_ELAPSED:
		event_of(s, op->object)->is_elapsed = event_of(s, op->object)->is_used = 1;
		event_of(s, op->peer)->is_elapsed = event_of(s, op->peer)->is_used = 1;
		break;
	case SC_OP_EVENT_WAIT:
	case SC_OP_EVENT_SYNC:
	case SC_OP_EVENT_QUERY:
	case SC_OP_CONTEXT_RECORD:
	case SC_OP_CONTEXT_WAIT: event_of(s, op->object)->is_used = 1; break;
	case SC_OP_EVENT_DESTROY:
		if (sc_op_took_effect(op))
			destroy_event(s, a, op);
		break;
	default: break;
	}
}

static const uint16_t kinds[] = {
	SC_OP_EVENT_CREATE,  SC_OP_EVENT_RECORD, SC_OP_EVENT_ELAPSED,  SC_OP_EVENT_WAIT,
	SC_OP_EVENT_SYNC,    SC_OP_EVENT_QUERY,	 SC_OP_CONTEXT_RECORD, SC_OP_CONTEXT_WAIT,
	SC_OP_EVENT_DESTROY, SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	if (r->op.object)
		note_event(state, a, step, &r->op, r->sequence);
}

static void finish(void *state, struct sc_analysis *a)
{
	struct events *s = state;
	bool is_whole = a->stats->closed && !a->gap;

	while (s->by_id) {
		if (is_whole)
			judge(a, s->by_id);
		drop(s, s->by_id);
	}
}

const struct sc_rule_family sc_rules_event_advice = {
	.state_bytes = sizeof(struct events),
	.kinds = kinds,
	.is_on = sc_family_is_advice,
	.sees_all_routine = 1,
	.step = check_record,
	.finish = finish,
};
