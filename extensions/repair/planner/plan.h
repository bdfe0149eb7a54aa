/* Plan: edits that were tried, and the analyses that judge them; inside of repair.h. */
#pragma once

#include "extensions/repair/planner/need.h"

/* Findings of an analysis of a changed trace, but advice. */
struct sc_outcome {
	SC_VECTOR(uint64_t) keys; /* owned: sc_finding.places, in order */
	int64_t answers;	  /* sc_analysis_answers */
};

struct sc_plan {
	struct sc_reader *reader;
	const struct sc_repair_settings *settings;
	const struct sc_analysis *first; /* of the trace without edits, which has read its code */
	struct sc_trace_facts facts;
	SC_VECTOR(struct sc_edit *) edits; /* owned; NULL: dropped */
	struct sc_u64_map steps;	   /* of two places and who waits: the next kind to try */
	struct sc_u64_map met;		   /* rounds in which a finding was there */
	struct sc_u64_map flaws;	   /* enum sc_edit_flaw of the last edit for a finding */
	struct sc_needs late; /* of the trace's uses after an end: what moved is none of its ops */
	SC_VECTOR(uint32_t) threads; /* of second operations of the trace's findings */
	uint64_t read;		     /* records */
	size_t analyses;
	size_t checked; /* edits that were there at the last analysis */
	uint32_t room;
	bool is_bounded;   /* something was not tried */
	bool has_doubtful; /* in the last analysis calls of a line may have been several */
};

/* Analyzes the trace with the edits of a plan; false if the plan has read enough, of which some is
 * kept for the last time. A wait of one thread ends no finding whose second operation is another
 * thread's, though that came later in this run: each such thread is asked about in an analysis of
 * its own. `needs`, if not NULL, gets what is needed for the findings that are left. */
bool sc_plan_try(struct sc_plan *p, struct sc_outcome *out, struct sc_needs *needs, bool is_last);
/* The same of an analysis of the trace itself. */
void sc_outcome_take(struct sc_outcome *o, const struct sc_plan *p, const struct sc_analysis *found,
		     struct sc_needs *needs);
/* How much worse the first is: findings that the second does not have, and answers that only the
 * second has. */
size_t sc_outcome_beyond(const struct sc_outcome *o, const struct sc_outcome *wider);
bool sc_outcome_has(const struct sc_outcome *o, uint64_t key);
void sc_outcome_fini(struct sc_outcome *o);

/* Adds edits until the needs are met, or nothing is left to try, and drops those that do harm: that
 * bring findings which `found` does not have, or take answers away. `left` gets the last outcome.
 */
void sc_plan_grow(struct sc_plan *p, const struct sc_analysis *found, struct sc_outcome *left);
/* Leaves each edit out once and drops those whose absence brings nothing back; the others get the
 * findings that came back, by their numbers in `found`. `left` is what the plan leaves, then and
 * afterwards. Returns how many were not tried. */
size_t sc_plan_shrink(struct sc_plan *p, const struct sc_analysis *found, struct sc_outcome *left);
