/* Rules 301, 303, 304: correct, but slow or redundant.
 *
 * Counted per call site and told at the end, because one run of a line says little: a wait is only
 * called redundant if it was so every time, a pageable copy only counts if it moves SLOW_BYTES in
 * all or comes back (a loop).
 */
#include <stdlib.h>
#include "analyzer/state.h"
#include "base/heap.h"

#define SLOW_BYTES (64 << 10)
#define SLOW_RUNS  2

struct sc_tally {
	uint64_t key; /* rule and call site */
	uint64_t sequence;
	uint64_t hits;	 /* as the rule says */
	uint64_t misses; /* the line was needed after all */
	uint64_t bytes;
	uint32_t rule;
	struct sc_op op;
	UT_hash_handle hh;
};

static void count(struct sc_analysis *a, unsigned rule, const struct sc_step *step, _Bool is_hit)
{
	uint64_t site, key;
	struct sc_tally *t;

	if (!step->op->stack && !is_hit)
		return; /* without a stack no line comes twice */
	site = sc_callsite_of(&a->callsites, a->reader, step->op->stack, step->sequence);
	key = sc_hash_add(site, rule);
	HASH_FIND(hh, a->tallies, &key, sizeof(key), t);
	if (!t) {
		t = sc_heap_xcalloc(1, sizeof(*t));
		t->key = key;
		t->rule = rule;
		HASH_ADD(hh, a->tallies, key, sizeof(t->key), t);
	}
	if (is_hit && !t->hits++) {
		t->sequence = step->sequence;
		t->op = *step->op;
	}
	t->misses += !is_hit;
	t->bytes += step->op->bytes;
}

static _Bool is_host_wait(const struct sc_op *op)
{
	return op->kind == SC_OP_STREAM_SYNC || op->kind == SC_OP_EVENT_SYNC ||
	       op->kind == SC_OP_CONTEXT_SYNC;
}

void sc_rules_advice_step(struct sc_analysis *a, const struct sc_record *r,
			  const struct sc_step *step)
{
	const struct sc_op *op = step->op;

	(void)r;
	if (!a->settings.advice || op->flags & SC_FLAG_LIBRARY || step->inside)
		return;
	if (step->is_finished && is_host_wait(op) && !step->is_never)
		count(a, SC_RULE_303, step, step->is_known);
	else if (step->is_enqueued && op->kind == SC_OP_EVENT_WAIT && !step->is_never)
		count(a, SC_RULE_304, step, step->is_known);
	else if (step->is_enqueued &&
		 (step->transfer.source_staged || step->transfer.result_waited))
		count(a, SC_RULE_301, step, 1);
}

static _Bool is_worth_telling(const struct sc_analysis *a, const struct sc_tally *t)
{
	if (!t->hits)
		return 0;
	if (t->rule == SC_RULE_301)
		return t->bytes >= SLOW_BYTES || t->hits >= SLOW_RUNS;
	return !t->misses && !a->gap; /* only if it is certain */
}

void sc_rules_advice_finish(struct sc_analysis *a)
{
	while (a->tallies) {
		struct sc_tally *t = a->tallies;

		if (is_worth_telling(a, t)) {
			struct sc_finding f =
				sc_finding_begin(t->rule, NULL, 0, &t->op, t->sequence);

			f.count = t->hits;
			sc_finding_file(a, &f, NULL, &t->op);
		}
		HASH_DEL(a->tallies, t);
		free(t);
	}
}
