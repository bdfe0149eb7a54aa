/* Tallies of advice, and how much of it is worth reporting. */
#include "analyzer/rules/advice_tally.h"

#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/model/make_finding.h"
#include "base/heap.h"

#define SLOW_BYTES (64 << 10)
#define SLOW_RUNS  2

/* How many hits make an advice, and whether one miss takes it back. Rules that are not here are
 * reported at the first hit, and only if the line was never needed. */
static const struct threshold {
	unsigned rule;
	uint64_t hits;
	uint64_t hits_per_miss; /* 0: misses do not count */
} thresholds[] = {
	{SC_RULE_302, 4, 0},	       {SC_RULE_306, 16, UINT64_MAX}, {SC_RULE_307, 1, UINT64_MAX},
	{SC_RULE_308, 16, UINT64_MAX}, {SC_RULE_309, 1, 0},	      {SC_RULE_310, 4, 0},
	{SC_RULE_311, 64, 0},	       {SC_RULE_312, 64, 0},	      {SC_RULE_317, 1, 0},
	{SC_RULE_314, 16, 0},	       {SC_RULE_322, 64, 16},	      {SC_RULE_327, 4, 0},
};

/* Stacks of one line have one tally. */
static struct sc_advice_tally *find(struct sc_analysis *a, unsigned rule, const struct sc_op *op,
				    uint64_t sequence)
{
	struct sc_advice_tally *t;
	uint64_t site = sc_callsite_of(&a->callsites, a->reader, op->stack, sequence);
	uint64_t key = sc_hash_add(site, rule);

	HASH_FIND(hh, a->tallies, &key, sizeof(key), t);
	if (!t) {
		t = sc_heap_xcalloc(1, sizeof(*t));
		t->key = key;
		t->rule = rule;
		HASH_ADD(hh, a->tallies, key, sizeof(t->key), t);
	}
	return t;
}

struct sc_advice_tally *sc_advice_tally_of(struct sc_analysis *a, unsigned rule,
					   const struct sc_op *op, uint64_t sequence)
{
	uint64_t *known;

	if (!op->stack)
		return find(a, rule, op, sequence);
	known = sc_u64_map_get(&a->tally_of, (uint64_t)rule << 32 | op->stack);
	if (!*known)
		*known = (uintptr_t)find(a, rule, op, sequence);
	return (struct sc_advice_tally *)(uintptr_t)*known;
}

struct sc_advice_tally *sc_advice_tally_count(struct sc_analysis *a, unsigned rule,
					      const struct sc_op *op, uint64_t sequence,
					      bool is_hit)
{
	struct sc_advice_tally *t;

	if (!a->settings.advice || (!op->stack && !is_hit))
		return NULL; /* without a stack no line comes twice */
	t = sc_advice_tally_of(a, rule, op, sequence);
	if (is_hit && !t->hits++) {
		t->sequence = sequence;
		t->op = *op;
	}
	t->misses += !is_hit;
	t->bytes += op->bytes;
	return t;
}

static bool is_worth_reporting(const struct sc_analysis *a, const struct sc_advice_tally *t)
{
	if (!t->hits)
		return 0;
	if (t->rule == SC_RULE_301)
		return t->bytes >= SLOW_BYTES || t->hits >= SLOW_RUNS;
	for (size_t i = 0; i < sizeof(thresholds) / sizeof(*thresholds); i++) {
		const struct threshold *h = &thresholds[i];

		if (h->rule != t->rule)
			continue;
		return t->hits >= h->hits &&
		       (!t->misses || !h->hits_per_miss || t->hits / t->misses >= h->hits_per_miss);
	}
	return !t->misses && !a->gap; /* only if it is certain */
}

static void file(struct sc_analysis *a, const struct sc_advice_tally *t)
{
	struct sc_finding f = sc_finding_begin(t->rule, NULL, 0, &t->op, t->sequence);

	f.count = t->hits;
	f.fix = t->fix;
	f.allocation = f.fix_before = t->allocation;
	sc_finding_file(a, &f, NULL, &t->op);
}

void sc_advice_tally_finish(struct sc_analysis *a)
{
	while (a->tallies) {
		struct sc_advice_tally *t = a->tallies;

		if (is_worth_reporting(a, t))
			file(a, t);
		HASH_DEL(a->tallies, t);
		free(t);
	}
	sc_u64_map_fini(&a->tally_of);
}
