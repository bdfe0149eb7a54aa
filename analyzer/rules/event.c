/* Rule 202: events that are waited for and never recorded; in the strict profile, not yet. */
#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/rules/misuse.h"
#include "base/heap.h"

/* The first wait for an event that has not been recorded yet. A ring of events, each waited for
 * once before its first record, is a common and harmless idiom: a record clears the entry. */
struct sc_never {
	uint32_t event; /* key */
	uint64_t sequence;
	uint64_t count;
	struct sc_op op;
	UT_hash_handle hh;
};

static void drop(struct sc_analysis *a, struct sc_never *n)
{
	HASH_DEL(a->nevers, n);
	free(n);
}

static void note_wait(struct sc_analysis *a, const struct sc_op *op, uint64_t sequence)
{
	uint32_t id = op->object;
	struct sc_never *n;

	if (op->flags & SC_FLAG_LIBRARY || sc_misuse_is_dead_event(a, id))
		return;
	HASH_FIND(hh, a->nevers, &id, sizeof(id), n);
	if (!n) {
		n = sc_heap_xcalloc(1, sizeof(*n));
		n->event = id;
		n->sequence = sequence;
		n->op = *op;
		HASH_ADD(hh, a->nevers, event, sizeof(n->event), n);
	}
	n->count++;
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

void sc_rules_event_step(struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	const struct sc_op *op = &r->op;
	struct sc_never *n;
	uint32_t event;

	if (op->phase != SC_PHASE_END && step->is_never)
		note_wait(a, op, r->sequence);
	event = recorded_by(op);
	if (!event || op->result != 0 || a->order.profile == SC_STRICT)
		return;
	HASH_FIND(hh, a->nevers, &event, sizeof(event), n);
	if (n)
		drop(a, n);
}

/* Waits that a race names: it says it all (SC-202: no race found). */
static void collect_told(const struct sc_analysis *a, struct sc_u64_map *told)
{
	for (size_t i = 0; i < a->findings.list.count; i++)
		if (a->findings.list.items[i].reach == SC_REACH_NEVER)
			sc_u64_map_get(told, a->findings.list.items[i].reach_op - 1);
}

void sc_rules_event_finish(struct sc_analysis *a)
{
	bool is_sure = sc_reader_stats(a->reader)->closed && !a->gap;
	struct sc_u64_map told = {0};

	collect_told(a, &told);
	while (a->nevers) {
		struct sc_never *n = a->nevers;

		if (!sc_u64_map_find(&told, n->sequence)) {
			struct sc_finding f =
				sc_finding_begin(SC_RULE_202, NULL, 0, &n->op, n->sequence);

			f.count = n->count;
			f.confidence = is_sure ? SC_PROVEN : SC_POSSIBLE;
			f.doubt = is_sure ? SC_DOUBT_NONE : SC_DOUBT_LOST;
			sc_finding_file(a, &f, NULL, &n->op);
		}
		drop(a, n);
	}
	sc_u64_map_fini(&told);
}
