/* Shrinking a plan: every edit has to be missed. */
#include <stdbool.h>
#include <stdlib.h>
#include "extensions/repair/planner/plan.h"

static int compare(const void *x, const void *y)
{
	const struct sc_edit *a = *(struct sc_edit *const *)x, *b = *(struct sc_edit *const *)y;

	if (!a || !b)
		return !a - !b;
	if (a->kind != b->kind)
		return a->kind > b->kind ? -1 : 1;
	if (a->lost_ns != b->lost_ns) /* 0 without times */
		return a->lost_ns > b->lost_ns ? -1 : 1;
	if (a->before.op != b->before.op)
		return a->before.op < b->before.op ? -1 : 1;
	return a->first.op < b->first.op ? -1 : a->first.op > b->first.op;
}

/* The findings that are in the outcome without an edit, and not in that with all. */
static void note_ends(struct sc_edit *e, const struct sc_analysis *found,
		      const struct sc_outcome *without, const struct sc_outcome *left)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_members(found, &count);

	sc_vector_clear(&e->ends);
	for (size_t i = 0; i < count; i++)
		if (sc_repair_is_about(&f[i]) && sc_outcome_has(without, f[i].places) &&
		    !sc_outcome_has(left, f[i].places))
			sc_vector_push(&e->ends, (uint32_t)i);
	e->is_needed = 1;
}

/* Leaves one edit out; false if the plan may not read more. */
static bool try_without(struct sc_plan *p, size_t i, const struct sc_analysis *found,
			struct sc_outcome *left, bool *is_dropped)
{
	struct sc_edit *e = p->edits.items[i];
	struct sc_outcome without;

	p->edits.items[i] = NULL;
	if (!sc_plan_try(p, &without, NULL, 1)) {
		p->edits.items[i] = e;
		return 0;
	}
	*is_dropped = !sc_outcome_beyond(&without, left);
	if (*is_dropped) {
		sc_vector_fini(&e->ends);
		free(e);
		sc_outcome_fini(left);
		*left = without;
		return 1;
	}
	note_ends(e, found, &without, left);
	p->edits.items[i] = e;
	sc_outcome_fini(&without);
	return 1;
}

size_t sc_plan_shrink(struct sc_plan *p, const struct sc_analysis *found, struct sc_outcome *left)
{
	size_t tried = 0, i = 0, untried = 0;

	if (p->edits.count)
		qsort(p->edits.items, p->edits.count, sizeof(*p->edits.items), compare);
	/* An edit is known to be missed once nothing was dropped since it was left out. */
	for (; p->edits.count && tried < p->edits.count; i = (i + 1) % p->edits.count, tried++) {
		bool is_dropped = 0;

		if (!p->edits.items[i])
			continue;
		if (!try_without(p, i, found, left, &is_dropped))
			break;
		if (is_dropped)
			tried = 0;
	}
	for (; tried < p->edits.count; i = (i + 1) % p->edits.count, tried++)
		if (p->edits.items[i]) {
			p->edits.items[i]->is_needed = 0;
			untried++;
		}
	return untried;
}
