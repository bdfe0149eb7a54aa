/* Rule 202: events that are waited for and never recorded; in the strict profile, not yet. */
#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/rules/family.h"
#include "analyzer/rules/misuse.h"
#include "base/hash.h"
#include "base/heap.h"

/* The first wait for an event that has not been recorded yet. A ring of events, each waited for
 * once before its first record, is a common and harmless idiom: a record clears the entry. */
struct unrecorded {
	uint32_t event; /* key */
	uint64_t sequence;
	uint64_t count;
	struct sc_op op;
	UT_hash_handle hh;
};

struct unrecorded_events {
	struct unrecorded *by_event; /* owned */
	struct sc_u64_map destroyed; /* stack → event; of many that were destroyed one a stack */
};

static void drop(struct unrecorded_events *s, struct unrecorded *n)
{
	HASH_DEL(s->by_event, n);
	free(n);
}

static void note_wait(struct unrecorded_events *s, struct sc_analysis *a, const struct sc_op *op,
		      uint64_t sequence)
{
	uint32_t id = op->object;
	struct unrecorded *n;

	if (op->flags & SC_FLAG_LIBRARY || sc_misuse_is_dead_event(a, id))
		return;
	HASH_FIND(hh, s->by_event, &id, sizeof(id), n);
	if (!n) {
		n = sc_heap_xcalloc(1, sizeof(*n));
		n->event = id;
		n->sequence = sequence;
		n->op = *op;
		HASH_ADD(hh, s->by_event, event, sizeof(n->event), n);
		sc_families_change(a);
	}
	n->count++;
}

/* No record comes any more. Of very many such events those that were waited for by one line are
 * one. */
static void destroy(struct unrecorded_events *s, const struct sc_analysis *a, uint32_t id)
{
	struct unrecorded *n, *same;
	uint64_t *first;
	uint32_t other;

	HASH_FIND(hh, s->by_event, &id, sizeof(id), n);
	if (!n || HASH_COUNT(s->by_event) < sc_settings_remembered(&a->settings, 16))
		return;
	first = sc_u64_map_get(&s->destroyed, n->op.stack);
	other = (uint32_t)*first;
	HASH_FIND(hh, s->by_event, &other, sizeof(other), same);
	if (!*first || !same) {
		*first = id;
		return;
	}
	same->count += n->count;
	drop(s, n);
}

/* The event that the op records, or 0. */
static uint32_t recorded_by(const struct sc_op *op)
{
	switch (op->kind) {
	case SC_OP_EVENT_RECORD:
	case SC_OP_CONTEXT_RECORD: return op->object;
	case SC_OP_KERNEL: return op->peer; /* E-14 */
	default: return 0;
	}
}

static const uint16_t routine[] = {SC_OP_EVENT_WAIT, SC_OP_NONE};

static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	const struct unrecorded_events *s = state;

	(void)a;
	return s->by_event != NULL;
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct unrecorded_events *s = state;
	const struct sc_op *op = &r->op;
	struct unrecorded *n;
	uint32_t event;

	if (op->phase != SC_PHASE_END && step->is_never)
		note_wait(s, a, op, r->sequence);
	if (op->kind == SC_OP_EVENT_DESTROY && sc_op_took_effect(op))
		destroy(s, a, op->object);
	event = recorded_by(op);
	if (!event || op->result != 0 || a->order.profile == SC_STRICT)
		return;
	HASH_FIND(hh, s->by_event, &event, sizeof(event), n);
	if (n)
		drop(s, n);
}

/* Waits that a race names: the race says it all (SC-202: no race found). */
static void collect_named(const struct sc_analysis *a, struct sc_u64_map *named)
{
	for (size_t i = 0; i < a->findings.list.count; i++)
		if (a->findings.list.items[i].reach == SC_REACH_NEVER)
			sc_u64_map_get(named, a->findings.list.items[i].reach_op - 1);
}

static void file(struct sc_analysis *a, const struct unrecorded *n)
{
	bool is_sure = a->stats->closed;
	struct sc_finding f = sc_finding_begin(SC_RULE_202, NULL, 0, &n->op, n->sequence);

	f.count = n->count;
	f.confidence = is_sure ? SC_PROVEN : SC_POSSIBLE;
	f.doubt = is_sure ? SC_DOUBT_NONE : SC_DOUBT_LOST;
	sc_finding_file(a, &f, NULL, &n->op);
}

static void finish(void *state, struct sc_analysis *a)
{
	struct unrecorded_events *s = state;
	struct sc_u64_map named = {0};

	collect_named(a, &named);
	while (s->by_event) {
		if (!sc_u64_map_find(&named, s->by_event->sequence))
			file(a, s->by_event);
		drop(s, s->by_event);
	}
	sc_u64_map_fini(&named);
	sc_u64_map_fini(&s->destroyed);
}

const struct sc_rule_family sc_rules_unrecorded_event = {
	.state_bytes = sizeof(struct unrecorded_events),
	.routine = routine,
	.sees_routine = sees_routine,
	.step = check_record,
	.finish = finish,
};
