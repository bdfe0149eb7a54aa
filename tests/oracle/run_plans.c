/* Plans of repair (extensions/repair) of recorded programs, as the command makes them.
 *
 * Usage: run_plans [--OPTION...] TRACE...
 *
 * Options are those of `streamcheck repair`. Each plan is applied, the changed program is written
 * as a trace of its own, and that is analyzed without anything of the plan: it has none of the
 * findings that the plan says it ends, no new one, and nothing in it waits for what comes later.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "cmds/arguments.h"
#include "cmds/check/loaded.h"
#include "extensions/repair/patcher/plan_texts.h"
#include "tests/oracle/changed.h"

/* True if a finding of these places is there, be it shown with others as one. */
static bool has(const struct sc_analysis *a, uint64_t key)
{
	size_t count, i = 0;
	const struct sc_finding *f = sc_analysis_members(a, &count);

	while (i < count && f[i].places != key)
		i++;
	return i < count;
}

/* Findings of the first that the second does not have, but should. */
static unsigned check_has(const char *path, const struct sc_analysis *a,
			  const struct sc_analysis *wider, const char *what)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_members(a, &count);
	unsigned differences = 0;

	for (size_t i = 0; i < count; i++) {
		if (!sc_repair_is_about(&f[i]) || has(wider, f[i].places))
			continue;
		printf("%s: %s SC-%u\n", path, what, f[i].rule);
		differences++;
	}
	return differences;
}

/* True if the plan ends the finding of the report with a number. */
static bool is_ended(const struct sc_plan_texts *p, const struct sc_analysis *found,
		     uint32_t number)
{
	size_t count, i = 0;
	const struct sc_finding *f = sc_analysis_findings(found, &count);

	while (i < count && f[i].number != number)
		i++;
	return i < count && p->repair.unmended.items[i] == SC_UNMENDED_NONE;
}

/* The findings that a changed program may not have. */
static unsigned check_ends(const char *path, const struct sc_plan_texts *plan,
			   const struct sc_analysis *found, const struct sc_analysis *after)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_members(found, &count);
	unsigned differences = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_ended(plan, found, f[i].number) || !has(after, f[i].places))
			continue;
		printf("%s: finding %" PRIu32 ", SC-%u, does not end\n", path, f[i].number,
		       f[i].rule);
		differences++;
	}
	return differences;
}

static unsigned check(const char *path, const struct sc_options *options)
{
	struct sc_analysis_settings settings = sc_loaded_settings(options);
	SC_VECTOR(struct sc_edit *) edits = {0};
	struct sc_analysis *before, *after;
	struct sc_plan_texts plan;
	struct sc_loaded l;
	unsigned differences;

	if (sc_loaded_open(&l, path, options, 0))
		return 1;
	sc_plan_texts_make(&plan, &l.report, options, SC_PLAN_RECORDS);
	for (size_t i = 0; i < plan.repair.edits.count; i++)
		sc_vector_push(&edits, &plan.repair.edits.items[i]);
	before = changed_run(l.reader, NULL, 0, &settings);
	after = changed_run(l.reader, edits.items, edits.count, &settings);
	differences = check_has(path, l.analysis, before, "written anew it has no") +
		      check_has(path, after, l.analysis, "the plan brings") +
		      check_ends(path, &plan, l.analysis, after);
	if (sc_analysis_answers(after) < sc_analysis_answers(before)) {
		printf("%s: something may wait for ever\n", path);
		differences++;
	}
	printf("%s: %zu edits end %zu of %zu findings\n", path, edits.count, plan.repair.mended,
	       plan.findings);
	sc_vector_fini(&edits);
	sc_analysis_free(before);
	sc_analysis_free(after);
	sc_plan_texts_fini(&plan);
	sc_loaded_close(&l);
	return differences;
}

int main(int argc, char **argv)
{
	struct sc_options options;
	unsigned differences = 0;
	int first = sc_arguments_read(&options, sc_command_find("repair"), argc, argv);

	for (int i = first; i < argc; i++)
		differences += check(argv[i], &options);
	return differences != 0;
}
