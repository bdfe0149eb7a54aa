/* Compare: where two runs of a program differ, one in each order of a pair. */
#pragma once

#include "analyzer/finding/finding.h"
#include "cmds/check/rerun.h"
#include "cmds/check/side_name.h"
#include "reports/trial.h"

/* Fills in what differs and what to show of it: `first` ran with side 0 first, `second` with
 * side 1. */
void sc_compare_orders(struct sc_trial *t, const struct sc_finding *f,
		       const struct sc_pair_names *names, const struct sc_rerun_end *first,
		       const struct sc_rerun_end *second);
/* Drops what differs between two runs in the same order too: ends[0] and ends[2] had side 0 first,
 * ends[1] and ends[3] side 1. */
void sc_compare_again(struct sc_trial *t, const struct sc_finding *f,
		      const struct sc_pair_names *names, const struct sc_rerun_end ends[4]);
