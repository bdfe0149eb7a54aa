/* Confirm: for each finding about the order of two operations the program runs again, in both
 * orders.
 *
 * It needs the notes of the first run (cmds/check/rerun.h), in which the device wrote what
 * operations and memory are called. What differs between the two orders is looked at a second time,
 * so that what differs from run to run anyway confirms nothing. Findings, gate and exit code stay
 * as they are.
 */
#pragma once

#include <stdbool.h>
#include "base/vector.h"
#include "cmds/check/loaded.h"
#include "cmds/check/rerun.h"
#include "reports/trial.h"

struct sc_confirm {
	struct sc_rerun rerun;
	struct sc_sim_notes names; /* of the first run */
	bool was_interrupted;	   /* the first run: by a signal from outside */
	unsigned traces;	   /* processes that were recorded */
	unsigned tried;		   /* findings so far */
	SC_VECTOR(struct sc_trial) trials;
};

/* Tries the findings of a report and puts the results there; they live until the next call. */
void sc_confirm_report(struct sc_confirm *c, struct sc_report *r);
void sc_confirm_fini(struct sc_confirm *c);
