/* Guards: under which conditions does a block run, once per iteration of each loop around it?
 *
 * The path of a block is a disjunction of terms, each a conjunction of literals (predicate nodes,
 * perhaps negated), relative to the header of its innermost loop; the path of a loop says when it
 * is entered, relative to the loop around it. A path is a superset of the truth if `reason` is
 * set, else it is the truth. Ways that end in a trap or never end do not count. The stay tests of
 * a loop hold in every iteration that is followed by another one.
 */
#pragma once

#include <stdbool.h>
#include "footprint/graph.h"

#define SC_GUARD_TERMS	  8
#define SC_GUARD_LITERALS 24
#define SC_GUARD_TESTS	  6 /* a loop with more is not exact */

struct sc_literal {
	uint32_t node;
	bool negated;
};

struct sc_term {
	uint32_t count;
	struct sc_literal literals[SC_GUARD_LITERALS];
};

struct sc_path {
	uint32_t first; /* terms */
	uint32_t count;
	uint8_t reason; /* enum sc_footprint_reason */
};

struct sc_stay {
	struct sc_literal tests[SC_GUARD_TESTS];
	uint32_t count;
	uint32_t exits; /* edges and ends that leave the loop */
	uint8_t reason; /* set if there are exits that are no test */
};

struct sc_guards {
	SC_VECTOR(struct sc_term) terms;
	struct sc_path *blocks; /* owned: of each block */
	struct sc_path *loops;	/* owned: of each loop */
	struct sc_stay *stays;	/* owned: of each loop */
	uint32_t steps;		/* of work that it took */
};

void sc_guards_make(struct sc_guards *s, const struct sc_flow *flow,
		    const struct sc_value_graph *g);
void sc_guards_fini(struct sc_guards *s);
/* The condition under which an edge is taken once its block runs; false: not one literal. */
bool sc_guards_edge(const struct sc_value_graph *g, const struct sc_flow_edge *edge,
		    struct sc_literal *out);
