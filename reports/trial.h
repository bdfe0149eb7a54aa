/* Trial: what came of running a program again in both orders of a finding's two sides.
 *
 * A finding stands as it is, whatever a trial says: that two runs did not differ here proves
 * nothing.
 */
#pragma once

#include <stdint.h>

enum sc_trial_verdict {
	SC_TRIAL_NONE, /* nobody asked for one */
	SC_TRIAL_CONFIRMED,
	SC_TRIAL_SAME,
	SC_TRIAL_UNTRIED,
};

enum sc_trial_place {
#define SC_TRIAL_PLACE(ID, id, short, text) SC_TRIAL_##ID,
#include "reports/trial.def"
#undef SC_TRIAL_PLACE
	SC_TRIAL_PLACES
};

#define SC_TRIAL_BYTES 16

struct sc_trial {
	uint8_t verdict; /* enum sc_trial_verdict */
	uint8_t differs; /* a bit for each enum sc_trial_place */
	uint8_t compared;
	uint8_t unsteady; /* differs from run to run, whatever the order */
	uint8_t is_cut;	  /* only the start of the memory was compared */
	uint8_t shown;	  /* the place that is shown */
	uint8_t actor;	  /* index of the side that reads, where that is shown */
	uint64_t offset;  /* of the first byte shown */
	/* With the first side first, with the second side first. */
	uint8_t bytes[2][SC_TRIAL_BYTES];
	uint8_t count[2];   /* bytes shown: fewer at the end of what there is */
	int32_t status[2];  /* how the program ended, as wait reports it */
	const char *reason; /* why it was not tried; borrowed, for the life of the program */
};
