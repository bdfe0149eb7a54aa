/* The verdict on a finding: how sure it is and why not, what came nearest, which repair would do.
 *
 * analyzer/finding/verdict.def has the id and the sentence of each constant. */
#pragma once

/* LIKELY: the order is certain, only whether a kernel uses what it was given is not known; or two
 * operations were ordered in this run, by an answer that the program does not look at. */
enum sc_confidence { SC_POSSIBLE, SC_LIKELY, SC_PROVEN };

/* Why a finding is only `possible`. */
enum sc_doubt {
#define SC_DOUBT(constant, id, sentence) SC_DOUBT_##constant,
#include "analyzer/finding/verdict.def"
	SC_DOUBTS
};

/* How the last ordering between the two sides looked; says how far it reached. `reach_op` is the
 * wait or the node of the sentence, `reach_record` the record. */
enum sc_reach {
#define SC_REACH(constant, id, sentence) SC_REACH_##constant,
#include "analyzer/finding/verdict.def"
	SC_REACHES
};

/* What would have ordered the two ops: by `fix_stream` or `fix_device`, before op or node
 * `fix_before`, after op or node `fix_after`. */
enum sc_fix {
#define SC_FIX(constant, id, sentence) SC_FIX_##constant,
#include "analyzer/finding/verdict.def"
	SC_FIXES
};

/* Whether the two ops really ran at the same time; a finding is one either way. */
enum sc_timing {
#define SC_TIMING(constant, id, sentence) SC_TIMING_##constant,
#include "analyzer/finding/verdict.def"
	SC_TIMINGS
};

struct sc_verdict_row {
	const char *id, *sentence;
};

extern const struct sc_verdict_row sc_doubt_rows[SC_DOUBTS]; /* by enum sc_doubt */
extern const struct sc_verdict_row sc_reach_rows[SC_REACHES];
extern const struct sc_verdict_row sc_fix_rows[SC_FIXES];
extern const struct sc_verdict_row sc_timing_rows[SC_TIMINGS];
