/* Which families see which records. */
#include "analyzer/rules/family.h"

#include <stdlib.h>
#include "base/assert.h"
#include "base/heap.h"

static const struct sc_rule_family *const rows[SC_FAMILIES] = {
#define SC_FAMILY(name) &sc_rules_##name,
#include "analyzer/rules/family.def"
#undef SC_FAMILY
};

/* Sets of families have a bit for each. */
struct sc_families {
	uint64_t by_kind[SC_OP_KINDS];	    /* which see ops of a kind, */
	uint64_t routine_kind[SC_OP_KINDS]; /* and always routine ones */
	uint64_t may_see_routine;	    /* which have the hook, */
	uint64_t see_routine;		    /* and said so when they were asked last */
	bool is_changed;		    /* one of them may say something else now */
	void *states[SC_FAMILIES];	    /* owned; NULL: the family is off */
};
_Static_assert(SC_FAMILIES <= 64, "a bit for each family");

/* Finds which families see all routine ops of their kinds. */
static void look_for_routine(struct sc_analysis *a)
{
	struct sc_families *all = a->families;

	all->is_changed = 0;
	for (uint64_t left = all->may_see_routine; left; left &= left - 1) {
		int i = __builtin_ctzll(left);
		uint64_t bit = left & -left;

		all->see_routine &= ~bit;
		all->see_routine |= rows[i]->sees_routine(all->states[i], a) ? bit : 0;
	}
}

void sc_families_change(struct sc_analysis *a)
{
	a->families->is_changed = 1;
}

static void add_kinds(uint64_t *by_kind, const uint16_t *kinds, uint64_t bit)
{
	for (; kinds && *kinds != SC_OP_NONE; kinds++)
		by_kind[*kinds] |= bit;
}

static void add_family(struct sc_families *all, unsigned i)
{
	uint64_t bit = UINT64_C(1) << i;

	all->states[i] = sc_heap_xcalloc(1, rows[i]->state_bytes ? rows[i]->state_bytes : 1);
	all->see_routine |= rows[i]->sees_all_routine ? bit : 0;
	if (rows[i]->sees_routine)
		all->may_see_routine |= bit;
	for (unsigned kind = 0; !rows[i]->kinds && kind < SC_OP_KINDS; kind++)
		all->by_kind[kind] |= bit;
	add_kinds(all->by_kind, rows[i]->kinds, bit);
	add_kinds(all->routine_kind, rows[i]->routine, bit);
}

bool sc_family_is_advice(const struct sc_analysis_settings *settings)
{
	return settings->advice;
}

void sc_families_begin(struct sc_analysis *a)
{
	a->families = sc_heap_xcalloc(1, sizeof(*a->families));
	for (unsigned i = 0; i < SC_FAMILIES; i++)
		if (!rows[i]->is_on || rows[i]->is_on(&a->settings))
			add_family(a->families, i);
	look_for_routine(a);
}

static inline void step_each(struct sc_analysis *a, uint64_t set, const struct sc_record *r,
			     const struct sc_step *step)
{
	for (; set; set &= set - 1) {
		int i = __builtin_ctzll(set);

		rows[i]->step(a->families->states[i], a, r, step);
	}
}

void sc_families_step(struct sc_analysis *a, const struct sc_record *r, const struct sc_step *step)
{
	step_each(a, a->families->by_kind[r->op.kind], r, step);
	look_for_routine(a);
}

void sc_families_step_routine(struct sc_analysis *a, const struct sc_record *r,
			      const struct sc_step *step)
{
	const struct sc_families *all = a->families;
	uint16_t kind = r->op.kind;
	uint64_t set = all->routine_kind[kind] | (all->by_kind[kind] & all->see_routine);

	step_each(a, set, r, step);
	if (all->is_changed)
		look_for_routine(a);
}

void sc_families_finish(struct sc_analysis *a)
{
	for (unsigned i = 0; i < SC_FAMILIES; i++)
		if (a->families->states[i] && rows[i]->finish)
			rows[i]->finish(a->families->states[i], a);
	for (unsigned i = 0; i < SC_FAMILIES; i++)
		free(a->families->states[i]);
	free(a->families);
	a->families = NULL;
}

void *sc_family_state(const struct sc_analysis *a, enum sc_family_id family)
{
	sc_assert(family < SC_FAMILIES);
	return a->families->states[family];
}
