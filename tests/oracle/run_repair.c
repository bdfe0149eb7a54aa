/* Plans of repair (extensions/repair) on random programs.
 *
 * Usage: run_repair PROGRAMS SEED
 *
 * Each plan is applied, the changed program is written as a trace of its own, and that is analyzed
 * without anything of the plan: what the plan says that it ends must be gone, nothing new may be
 * there, and without any one edit a finding must come back. What
 * would do in place of an edit must leave no more.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "extensions/repair/planner/repair.h"
#include "tests/oracle/changed.h"
#include "tests/oracle/program.h"

struct tally {
	size_t findings, mended, edits, needed, clean, others, kinds[SC_EDIT_KINDS];
	size_t unmended[SC_UNMENDEDS];
};

/* Findings of the first that the second does not have. */
static size_t count_beyond(const struct sc_analysis *a, const struct sc_analysis *b)
{
	size_t count, beyond = 0;
	const struct sc_finding *f = sc_analysis_findings(a, &count);

	for (size_t i = 0; i < count; i++) {
		bool is_first = 1;

		for (size_t k = 0; k < i; k++)
			is_first &= f[k].places != f[i].places;
		beyond += is_first && !changed_has(b, f[i].places);
	}
	return beyond;
}

static unsigned check_ends(const struct sc_repair *plan, const struct sc_analysis *before,
			   const struct sc_analysis *after, struct tally *t)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(before, &count);
	unsigned differences = 0;

	for (size_t i = 0; i < count; i++) {
		bool is_mended = plan->unmended.items[i] == SC_UNMENDED_NONE;

		t->unmended[plan->unmended.items[i]]++;
		if (is_mended == !changed_has(after, f[i].places))
			continue;
		printf("SC-%u, ops %" PRIu64 " and %" PRIu64 ": the plan says %s\n", f[i].rule,
		       f[i].side[0].op, f[i].side[1].op, is_mended ? "mended" : "left");
		differences++;
	}
	return differences;
}

/* Whether the program has more findings with `instead` in place of an edit, or NULL, than `after`.
 */
static bool has_more(struct sc_reader *r, struct sc_edit **edits, size_t count, size_t i,
		     struct sc_edit *instead, const struct sc_analysis *after,
		     const struct sc_analysis_settings *settings)
{
	struct sc_edit *e = edits[i];
	struct sc_analysis *changed;
	bool is_more;

	edits[i] = instead;
	changed = changed_run(r, edits, count, settings);
	edits[i] = e;
	is_more = count_beyond(changed, after) > 0;
	sc_analysis_free(changed);
	return is_more;
}

static unsigned check_without(struct sc_reader *r, struct sc_edit **edits, size_t count, size_t i,
			      const struct sc_analysis *after,
			      const struct sc_analysis_settings *settings)
{
	bool is_missed = has_more(r, edits, count, i, NULL, after, settings);

	if (!is_missed)
		printf("edit %zu (%s) is not missed\n", i,
		       sc_edit_kind_id((enum sc_edit_kind)edits[i]->kind));
	return !is_missed;
}

/* What would do in place of an edit leaves nothing that the plan does not leave. */
static unsigned check_other(struct sc_reader *r, struct sc_edit **edits, size_t count, size_t i,
			    struct sc_edit *other, const struct sc_analysis *after,
			    const struct sc_analysis_settings *settings)
{
	bool is_worse = has_more(r, edits, count, i, other, after, settings);

	if (is_worse)
		printf("edit %zu: another stream would not do\n", i);
	return is_worse;
}

static unsigned check(struct sc_reader *r, struct sc_repair *plan, const struct sc_analysis *before,
		      const struct sc_analysis_settings *settings, struct tally *t)
{
	size_t n = plan->edits.count;
	struct sc_edit **edits = calloc(n + 1, sizeof(*edits));
	struct sc_analysis *after;
	unsigned differences;

	for (size_t i = 0; i < n; i++) {
		edits[i] = &plan->edits.items[i];
		t->kinds[edits[i]->kind]++;
	}
	after = changed_run(r, edits, n, settings);
	differences = check_ends(plan, before, after, t);
	if (count_beyond(after, before)) {
		printf("%zu findings are new\n", count_beyond(after, before));
		differences++;
	}
	for (size_t i = 0; i < n && !differences; i++) {
		if (edits[i]->other) {
			struct sc_edit *other = &plan->others.items[edits[i]->other - 1];

			t->others++;
			differences += check_other(r, edits, n, i, other, after, settings);
		}
		if (!edits[i]->is_needed)
			continue;
		t->needed++;
		differences += check_without(r, edits, n, i, after, settings);
	}
	sc_analysis_free(after);
	free(edits);
	return differences;
}

static unsigned run(uint64_t seed, struct tally *t)
{
	static const uint32_t lines[] = {1000, 1000, 1000, 40};
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE};
	struct sc_repair_settings how = {.analysis = &settings, .most_records = 60000};
	struct sc_analysis *found;
	struct sc_repair plan;
	struct program p;
	struct sc_reader *r;
	uint8_t *data;
	unsigned differences;

	program_generate(&p, seed, lines[seed % 4]);
	r = program_open(p.slots.items, p.slots.count, &data);
	sc_analysis_run(&found, r, &settings);
	sc_repair_find(&plan, r, found, &how);
	differences = check(r, &plan, found, &settings, t);
	if (differences)
		printf("seed %" PRIu64 ": %u differences\n", seed, differences);
	t->findings += plan.unmended.count;
	t->mended += plan.mended;
	t->edits += plan.edits.count;
	t->clean += plan.mended == plan.unmended.count;
	sc_repair_fini(&plan);
	sc_analysis_free(found);
	sc_reader_free(r);
	free(data);
	program_fini(&p);
	return differences;
}

int main(int argc, char **argv)
{
	unsigned long programs = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct tally t = {0};

	for (unsigned long i = 0; i < programs; i++)
		if (run(seed + i, &t))
			return 1;
	if (programs >= 1000 &&
	    (!t.kinds[SC_EDIT_STREAM] || !t.kinds[SC_EDIT_FRAME] || !t.others)) {
		printf("no operation goes into another stream, or no function waits\n");
		return 1;
	}
	if (!t.needed || 100 * t.mended < 70 * t.findings) {
		printf("%zu of %zu findings are mended\n", t.mended, t.findings);
		return 1;
	}
	printf("%lu programs from seed %" PRIu64
	       ": %zu findings, %zu of them ended by %zu edits (%zu "
	       "needed, tried); %zu programs clean\n",
	       programs, seed, t.findings, t.mended, t.edits, t.needed, t.clean);
	printf("  others       %zu\n", t.others);
	for (unsigned i = 0; i < SC_EDIT_KINDS; i++)
		printf("  %-12s %zu\n", sc_edit_kind_id((enum sc_edit_kind)i), t.kinds[i]);
	for (unsigned i = 0; i < SC_UNMENDEDS; i++)
		printf("  left, %-12s %zu\n", sc_unmended_rows[i].id, t.unmended[i]);
	return 0;
}
