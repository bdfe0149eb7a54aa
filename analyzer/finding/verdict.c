/* The verdict on a finding: its words by constant. */
#include "analyzer/finding/verdict.h"

const struct sc_verdict_row sc_doubt_rows[SC_DOUBTS] = {
#define SC_DOUBT(constant, id, sentence) {id, sentence},
#include "analyzer/finding/verdict.def"
};

const struct sc_verdict_row sc_reach_rows[SC_REACHES] = {
#define SC_REACH(constant, id, sentence) {id, sentence},
#include "analyzer/finding/verdict.def"
};

const struct sc_verdict_row sc_fix_rows[SC_FIXES] = {
#define SC_FIX(constant, id, sentence) {id, sentence},
#include "analyzer/finding/verdict.def"
};

const struct sc_verdict_row sc_timing_rows[SC_TIMINGS] = {
#define SC_TIMING(constant, id, sentence) {id, sentence},
#include "analyzer/finding/verdict.def"
};
