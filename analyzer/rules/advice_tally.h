/* Tallies: how often a line of the program was found slow or redundant, and how often needed.
 *
 * Advice is counted per call site and reported at the end (family advice), because one run of a
 * line says little. One entry per rule and line; without a stack no line comes twice.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/model/model.h"
#include "base/hash.h"

struct sc_advice_tally {
	uint64_t key; /* rule and call site */
	uint64_t sequence;
	uint64_t hits;	 /* as the rule says */
	uint64_t misses; /* the line was needed after all */
	uint64_t bytes;
	uint64_t mark;	     /* what was the newest when the line ran last */
	uint64_t allocation; /* + 1 of the op that began the memory that it is about; 0: none */
	uint32_t rule;
	uint8_t fix;	 /* enum sc_fix */
	struct sc_op op; /* of the first hit */
	UT_hash_handle hh;
};

/* The tally of the line that made the op, made if it is new. */
struct sc_advice_tally *sc_advice_tally_of(struct sc_analysis *a, unsigned rule,
					   const struct sc_op *op, uint64_t sequence);
/* Counts one run of the line. Returns its tally; NULL if nothing was counted (advice is off). */
struct sc_advice_tally *sc_advice_tally_count(struct sc_analysis *a, unsigned rule,
					      const struct sc_op *op, uint64_t sequence,
					      bool is_hit);
/* Files what is worth reporting and frees all. */
void sc_advice_tally_finish(struct sc_analysis *a);
