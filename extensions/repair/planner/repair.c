/* Repair: facts, a plan that grows and shrinks, and what it leaves. */
#include "extensions/repair/planner/repair.h"

#include <stdbool.h>
#include <stdlib.h>
#include "extensions/repair/planner/plan.h"
#include "extensions/repair/planner/restream.h"
#include "base/heap.h"
#include "base/search.h"

#define ROOM_MOST 64 /* inserted calls between two records of a trace */

/* Sequence numbers take 32 bits in clocks. */
static uint32_t find_room(const struct sc_trace_facts *f)
{
	uint64_t room = SC_TRACE_SLOTS_MAX / (f->slots + 2);

	return room < ROOM_MOST ? (uint32_t)room : ROOM_MOST;
}

/* Why a finding is left: it has no need, or no edit would do. */
static enum sc_unmended reason_of(const struct sc_plan *p, const struct sc_analysis *found,
				  const struct sc_finding *f)
{
	struct sc_need_source source = {p->reader, found, &p->facts, p->settings, 1};
	struct sc_need need;
	enum sc_unmended reason = sc_need_of(&need, &source, f);

	if (reason != SC_UNMENDED_NONE)
		return reason;
	return p->is_bounded ? SC_UNMENDED_BOUND : SC_UNMENDED_TRIED;
}

static void judge_findings(struct sc_repair *out, const struct sc_plan *p,
			   const struct sc_analysis *found, const struct sc_outcome *left)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_members(found, &count);

	for (size_t i = 0; i < count; i++) {
		const uint64_t *flaw = sc_u64_map_find(&p->flaws, f[i].places);
		enum sc_unmended reason = SC_UNMENDED_HIDDEN;

		if (sc_repair_is_about(&f[i]) && !sc_outcome_has(left, f[i].places))
			reason = SC_UNMENDED_NONE;
		else if (sc_repair_is_about(&f[i]))
			reason = reason_of(p, found, &f[i]);
		out->mended += reason == SC_UNMENDED_NONE;
		sc_vector_push(&out->unmended, (uint8_t)reason);
		sc_vector_push(&out->flaws, flaw ? (uint8_t)*flaw : SC_FLAW_NONE);
	}
}

static int by_index(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a > b) - (a < b);
}

static int by_cost(const void *x, const void *y)
{
	const struct sc_edit *a = x, *b = y;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->is_priced && b->is_priced && a->lost_ns != b->lost_ns)
		return a->lost_ns < b->lost_ns ? -1 : 1;
	if (a->ends.count != b->ends.count)
		return a->ends.count > b->ends.count ? -1 : 1;
	return a->before.op < b->before.op ? -1 : a->before.op > b->before.op;
}

/* Of an edit that was not left out once it is known only what it was made for. */
static void add_own(struct sc_edit *e, const struct sc_repair *out, const struct sc_analysis *found)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_members(found, &count);

	if (e->is_needed)
		return;
	sc_vector_clear(&e->ends);
	for (size_t i = 0; i < count; i++)
		if (f[i].places == e->key && out->unmended.items[i] == SC_UNMENDED_NONE)
			sc_vector_push(&e->ends, (uint32_t)i);
}

/* The edits are the caller's from here on. */
static void take_edits(struct sc_repair *out, struct sc_plan *p, const struct sc_analysis *found)
{
	for (size_t i = 0; i < p->edits.count; i++) {
		if (!p->edits.items[i])
			continue;
		add_own(p->edits.items[i], out, found);
		sc_vector_push(&out->edits, *p->edits.items[i]);
		free(p->edits.items[i]);
	}
	sc_vector_fini(&p->edits);
	if (out->edits.count)
		qsort(out->edits.items, out->edits.count, sizeof(*out->edits.items), by_cost);
}

static void plan_fini(struct sc_plan *p)
{
	sc_vector_fini(&p->edits);
	sc_vector_fini(&p->late.list);
	sc_vector_fini(&p->threads);
	sc_u64_map_fini(&p->steps);
	sc_u64_map_fini(&p->met);
	sc_u64_map_fini(&p->flaws);
	sc_trace_facts_fini(&p->facts);
}

/* What else would do for each edit. */
static void find_others(struct sc_repair *out, struct sc_plan *p, const struct sc_restream *s,
			const struct sc_outcome *left)
{
	for (size_t i = 0; i < p->edits.count; i++) {
		const struct sc_edit *other = sc_restream_instead(s, p, i, left);

		if (!other)
			continue;
		sc_vector_push(&out->others, *other);
		sc_vector_last(&out->others)->ends.items = NULL; /* those of the edit */
		sc_vector_last(&out->others)->ends.count = 0;
		p->edits.items[i]->other = (uint32_t)out->others.count;
	}
}

/* Indices into the findings as they are merged: of each member, and what was said of one counts. */
static void merge_ends(struct sc_edit *e, const uint32_t *of)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->ends.count; i++) {
		uint32_t index = of[e->ends.items[i]];
		size_t at = 0;

		while (at < kept && e->ends.items[at] != index)
			at++;
		e->ends.items[at] = index;
		kept += at == kept;
	}
	e->ends.count = kept;
	if (kept)
		qsort(e->ends.items, kept, sizeof(*e->ends.items), by_index);
}

/* A finding is left if one of its members is. */
static void merge_reasons(struct sc_repair *out, const uint32_t *of, size_t members, size_t count)
{
	uint8_t *reasons = sc_heap_xcalloc(count + 1, 1), *flaws = sc_heap_xcalloc(count + 1, 1);

	for (size_t i = 0; i < members; i++) {
		if (reasons[of[i]])
			continue;
		reasons[of[i]] = out->unmended.items[i];
		flaws[of[i]] = out->flaws.items[i];
	}
	out->mended = 0;
	for (size_t i = 0; i < count; i++) {
		out->unmended.items[i] = reasons[i];
		out->flaws.items[i] = flaws[i];
		out->mended += reasons[i] == SC_UNMENDED_NONE;
	}
	out->unmended.count = out->flaws.count = count;
	free(reasons);
	free(flaws);
}

/* A plan is made for members, and what it says is about the findings of the report. */
static void merge(struct sc_repair *out, const struct sc_analysis *found)
{
	size_t count, members;
	const struct sc_finding *f = sc_analysis_findings(found, &count);
	const struct sc_finding *m = sc_analysis_members(found, &members);
	uint32_t *of = sc_heap_xcalloc(members + 1, sizeof(*of));

	for (size_t i = 0; i < members; i++) {
		size_t at;

		SC_SEARCH(at, count, f[at].number < m[i].number);
		of[i] = at < count ? (uint32_t)at : 0;
	}
	for (size_t i = 0; i < out->edits.count; i++)
		merge_ends(&out->edits.items[i], of);
	merge_reasons(out, of, members, count);
	free(of);
}

void sc_repair_find(struct sc_repair *out, struct sc_reader *r, const struct sc_analysis *found,
		    const struct sc_repair_settings *settings)
{
	struct sc_plan p = {.reader = r, .settings = settings, .first = found};
	struct sc_restream streams;
	struct sc_outcome left;

	*out = (struct sc_repair){0};
	sc_trace_facts_read(&p.facts, r);
	sc_trace_facts_note_kernels(&p.facts, found);
	p.facts.calls.from = settings->calls_from;
	p.facts.calls.data = settings->data;
	p.room = find_room(&p.facts);
	sc_plan_grow(&p, found, &left);
	out->untried = sc_plan_shrink(&p, found, &left);
	sc_restream_find(&streams, &p, found);
	if (sc_restream_use(&streams, &p, found, &left))
		out->untried = sc_plan_shrink(&p, found, &left);
	find_others(out, &p, &streams, &left);
	sc_restream_fini(&streams);
	judge_findings(out, &p, found, &left);
	out->analyses = p.analyses;
	take_edits(out, &p, found);
	merge(out, found);
	plan_fini(&p);
	sc_outcome_fini(&left);
}

void sc_repair_fini(struct sc_repair *p)
{
	for (size_t i = 0; i < p->edits.count; i++)
		sc_vector_fini(&p->edits.items[i].ends);
	sc_vector_fini(&p->edits);
	sc_vector_fini(&p->others);
	sc_vector_fini(&p->unmended);
	sc_vector_fini(&p->flaws);
}
