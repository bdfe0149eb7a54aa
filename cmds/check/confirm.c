/* Confirm: names for the two sides, two runs, and two more if those differ. */
#include "cmds/check/confirm.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include "base/message.h"
#include "cmds/check/compare.h"
#include "cmds/check/side_name.h"

#define FINDINGS_MAX 16 /* that the program runs again for */
#define TEXT_OF(x)   #x
#define TEXT(x)	     TEXT_OF(x)

static const char *const failures[SC_ORDERS] = {
	[SC_ORDER_DEPENDS] = "the simulated device itself orders the two",
	[SC_ORDER_DEMANDED] = "one order could not be made: the program waits for one of the two "
			      "before it enqueues the other",
	[SC_ORDER_TIME] = "one order could not be made: one of the two did not end in time",
};

/* Why a run is of no use; NULL if it was as it should be. */
static const char *find_failure(const struct sc_rerun_end *end, const struct sc_pair_names *names)
{
	struct sc_sim_note note;
	const char *data;

	if (end->has_failed)
		return "the program could not be started again";
	if (end->is_late)
		return "the program did not end in five times the time of its first run, at least "
		       "10 s";
	if (end->notes.files > 1)
		return "another process used the device when the program ran again";
	if (!sc_pair_names_are_met(names, &end->notes))
		return "the program took another path when it ran again, or the device was not "
		       "used";
	if (!sc_sim_notes_find_kind(&end->notes, SC_NOTE_ORDER, &note, &data))
		return "the program ended before both had run";
	return note.number[0] < SC_ORDERS ? failures[note.number[0]] : "unknown order";
}

/* Runs the program in one order; NULL, or why that told nothing. */
static const char *run_once(const struct sc_confirm *c, const struct sc_pair_names *names,
			    unsigned first, struct sc_rerun_end *end)
{
	char pair[SC_PAIR_TEXT];
	struct sc_pair_names turned = sc_pair_names_turn(names, first);

	sc_pair_names_print(&turned, pair);
	sc_rerun_run(&c->rerun, pair, end);
	return find_failure(end, &turned);
}

static void give_up(struct sc_trial *t, const char *reason)
{
	*t = (struct sc_trial){.verdict = SC_TRIAL_UNTRIED, .reason = reason};
}

/* Both orders; and again if they differ. */
static void try_pair(const struct sc_confirm *c, const struct sc_pair_names *names,
		     const struct sc_finding *f, struct sc_trial *t)
{
	struct sc_rerun_end ends[4] = {0};
	const char *failure = NULL;
	unsigned differs, runs;

	for (runs = 0; runs < 2 && !failure; runs++)
		failure = run_once(c, names, runs, &ends[runs]);
	if (!failure)
		sc_compare_orders(t, f, names, &ends[0], &ends[1]);
	differs = failure ? 0 : t->differs;
	for (; runs < 4 && differs && !failure; runs++)
		failure = run_once(c, names, runs & 1, &ends[runs]);
	if (!failure && differs)
		sc_compare_again(t, f, names, ends);
	if (failure)
		give_up(t, failure);
	else if (t->differs)
		t->verdict = SC_TRIAL_CONFIRMED;
	else
		t->verdict = SC_TRIAL_SAME;
	while (runs)
		sc_rerun_end_fini(&ends[--runs]);
}

static void try_finding(struct sc_confirm *c, const struct sc_report *r, const struct sc_finding *f,
			struct sc_trial *t)
{
	struct sc_pair_names names;
	const char *reason;

	if (c->was_interrupted) {
		give_up(t, "the first run was ended by a signal");
		return;
	}
	if (c->traces > 1 || c->names.files != 1) {
		give_up(t, "several processes were recorded, or none used the simulated device");
		return;
	}
	reason = sc_pair_names_find(&names, &c->names, r->analysis, f);
	if (!reason && c->tried >= FINDINGS_MAX)
		reason = "the program runs again for " TEXT(FINDINGS_MAX) " findings at most";
	if (reason) {
		give_up(t, reason);
		return;
	}
	c->tried++;
	try_pair(c, &names, f, t);
}

void sc_confirm_report(struct sc_confirm *c, struct sc_report *r)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(r->analysis, &count);

	sc_vector_clear(&c->trials);
	for (size_t i = 0; i < count; i++) {
		struct sc_trial *t = sc_vector_add(&c->trials);

		*t = (struct sc_trial){0};
		if (sc_finding_lacks_order(&f[i]))
			try_finding(c, r, &f[i], t);
	}
	r->trials = c->trials.items;
	r->trial_count = c->trials.count;
}

void sc_confirm_fini(struct sc_confirm *c)
{
	sc_vector_fini(&c->trials);
	sc_sim_notes_fini(&c->names);
	sc_rerun_fini(&c->rerun);
}
