/* Side names: what the simulated device calls the two sides of a finding, and their bytes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "analyzer/analysis.h"
#include "cmds/check/sim_notes.h"

#define SC_PAIR_TEXT   256
#define SC_KERNEL_TEXT 128

struct sc_side_name {
	bool is_host;
	uint64_t stream, number;     /* STREAM.NUMBER, see STREAMCHECK_SIM_PAIR; of the host's that
					of the operation after which it comes, or 0.0 */
	uint64_t work;		     /* kind, to know it again */
	char kernel[SC_KERNEL_TEXT]; /* the start of its name */
};

struct sc_pair_names {
	struct sc_side_name side[2];
	char base[24]; /* what the range is relative to; "": there is none */
	uint64_t offset, bytes;
};

/* What a side of a pair is. */
struct sc_named_side {
	const struct sc_side *side; /* borrowed */
	bool is_host;
	uint64_t node; /* place in its graph of a node in no inner graph, from 1; else 0 */
};

/* Fills in the names by the notes of the run that was analyzed; NULL, or why there are none. */
const char *sc_pair_names_of(struct sc_pair_names *p, const struct sc_sim_notes *notes,
			     const struct sc_named_side sides[2]);
/* The same of a finding. */
const char *sc_pair_names_find(struct sc_pair_names *p, const struct sc_sim_notes *notes,
			       const struct sc_analysis *a, const struct sc_finding *f);
/* The same pair with side `first` as the first. */
struct sc_pair_names sc_pair_names_turn(const struct sc_pair_names *p, unsigned first);
/* The value of STREAMCHECK_SIM_PAIR. */
void sc_pair_names_print(const struct sc_pair_names *p, char out[SC_PAIR_TEXT]);
/* Did the run of these notes meet both, as they were? */
bool sc_pair_names_are_met(const struct sc_pair_names *p, const struct sc_sim_notes *notes);
