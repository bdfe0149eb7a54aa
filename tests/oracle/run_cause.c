/* Leaders of findings (analyzer/model/cause.h) on random programs.
 *
 * Usage: run_cause PROGRAMS SEED
 *
 * The repair that a leader names is applied to its own two operations and to nothing else. The
 * changed program is analyzed as a trace of its own: neither the leader nor what is listed under it
 * may be found in it. Few operations share a call stack; findings that are more than
 * one pair are left out.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "extensions/repair/planner/place.h"
#include "tests/oracle/changed.h"
#include "tests/oracle/program.h"

#define LINES 4000 /* more than a program has operations */

struct tally {
	size_t findings, followers, leaders, skipped;
	size_t in_flight; /* SC-144 and SC-401 among those that lead or follow */
};

/* The edit that a finding's fix says; false for a fix that is no edit. */
static bool make_edit(struct sc_edit *e, const struct sc_reader *r, const struct sc_finding *f)
{
	static const uint8_t kinds[SC_FIXES] = {
		[SC_FIX_SYNC_STREAM] = SC_EDIT_SYNC_STREAM,
		[SC_FIX_SYNC_CONTEXT] = SC_EDIT_SYNC_DEVICE,
		[SC_FIX_EVENT] = SC_EDIT_EVENT,
		[SC_FIX_MOVE] = SC_EDIT_MOVE,
	};
	struct sc_repair_depth whole = {.lines = UINT32_MAX};

	if (f->fix >= SC_FIXES || (!kinds[f->fix] && f->fix != SC_FIX_RULE) ||
	    f->fix == SC_FIX_RULE || !f->fix_before)
		return 0;
	*e = (struct sc_edit){.kind = kinds[f->fix], .stream = f->side[0].stream};
	e->first = sc_place_of(r, 0, f->fix_after ? f->fix_after - 1 : f->side[0].op, whole);
	e->before = sc_place_of(r, 0, f->fix_before - 1, whole);
	return 1;
}

/* True if it is one pair, and no other pair has its places. */
static bool is_alone(const struct sc_finding *f, size_t count, size_t at)
{
	size_t same = 0;

	for (size_t i = 0; i < count; i++)
		same += f[i].places == f[at].places;
	return same == 1 && f[at].count == 1;
}

static unsigned check_ended(const struct sc_finding *f, size_t count, uint32_t number,
			    const struct sc_analysis *after)
{
	unsigned differences = 0;

	for (size_t i = 0; i < count; i++) {
		if ((f[i].leader != number && f[i].number != number) || !is_alone(f, count, i) ||
		    !changed_has(after, f[i].places))
			continue;
		printf("finding %u, SC-%u, ops %" PRIu64 " and %" PRIu64
		       ": the repair of finding %u (%s) leaves it\n",
		       f[i].number, f[i].rule, f[i].side[0].op, f[i].side[1].op, number,
		       sc_fix_rows[f[number - 1].fix].id);
		differences++;
	}
	return differences;
}

static bool leads(const struct sc_finding *f, size_t count, uint32_t number)
{
	for (size_t i = 0; i < count; i++)
		if (f[i].leader == number)
			return 1;
	return 0;
}

static unsigned check(struct sc_reader *r, const struct sc_analysis *found,
		      const struct sc_analysis_settings *settings, struct tally *t)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(found, &count);
	unsigned differences = 0;

	t->findings += count;
	for (size_t i = 0; i < count; i++) {
		struct sc_edit edit, *edits[] = {&edit};
		struct sc_analysis *after;

		t->followers += f[i].leader != 0;
		if (f[i].rule == SC_RULE_144 || f[i].rule == SC_RULE_401)
			t->in_flight += f[i].leader || leads(f, count, f[i].number);
		if (!leads(f, count, f[i].number))
			continue;
		if (f[i].count > 1 || !make_edit(&edit, r, &f[i])) {
			t->skipped++;
			continue;
		}
		after = changed_run(r, edits, 1, settings);
		if (edit.flaw || !edit.calls)
			t->skipped++;
		else
			differences += check_ended(f, count, f[i].number, after);
		t->leaders++;
		sc_analysis_free(after);
	}
	return differences;
}

static unsigned run(uint64_t seed, struct tally *t)
{
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE};
	struct sc_analysis *found;
	struct program p;
	struct sc_reader *r;
	uint8_t *data;
	unsigned differences;

	program_generate(&p, seed, LINES);
	program_end(&p);
	r = program_open(p.slots.items, p.slots.count, &data);
	sc_analysis_run(&found, r, &settings);
	differences = check(r, found, &settings, t);
	if (differences)
		printf("seed %" PRIu64 ": %u differences\n", seed, differences);
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
	printf("%lu programs from seed %" PRIu64 ": %zu findings, %zu of them below %zu others; "
	       "%zu leaders have no edit; %zu of them "
	       "are about work in flight\n",
	       programs, seed, t.findings, t.followers, t.leaders + t.skipped, t.skipped,
	       t.in_flight);
	return !t.followers || !t.leaders || 2 * t.skipped > t.leaders || !t.in_flight;
}
