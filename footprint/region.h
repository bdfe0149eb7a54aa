/* Regions: the bytes that a linear address reaches over a box under linear constraints.
 *
 * The naive form: for every point of the box that meets all constraints, put the bytes
 * [start + Σ factor × coordinate, + width) into a set. Here the set comes out as strided ranges
 * without looking at points: constraints shrink the box, coordinates that the address does not
 * use are projected away, a constraint on the same sum as the address cuts that sum, and the rest
 * is cut along its coarsest coordinate. What is left is dropped, and the ranges say so.
 * tests/footprint compares it with the truth, thread by thread.
 */
#pragma once

#include <stdbool.h>
#include "footprint/clause.h"

#define SC_REGION_VARIABLES   24
#define SC_REGION_CONSTRAINTS 48

/* A constraint over the region's own coordinates. */
struct sc_cut {
	int64_t factors[SC_REGION_VARIABLES];
	int64_t low;
	int64_t high;
};

struct sc_region {
	uint32_t variables;
	uint32_t cuts;
	uint8_t reason;
	bool is_unbounded;
	int64_t start;
	uint64_t width;
	int64_t low[SC_REGION_VARIABLES];
	int64_t high[SC_REGION_VARIABLES];
	int64_t factors[SC_REGION_VARIABLES]; /* of the address */
	bool unknown[SC_REGION_VARIABLES];
	uint8_t reasons[SC_REGION_VARIABLES];
	struct sc_cut cut[SC_REGION_CONSTRAINTS];
};

/* The region of an address under a clause; variables beyond the limit make it unbounded. */
void sc_region_make(struct sc_region *r, const struct sc_eval *e,
		    const struct sc_linear_form *address, const struct sc_clause *clause);
/* Adds a dimension of its own: `count` steps of `factor` bytes. */
void sc_region_extend(struct sc_region *r, int64_t factor, uint32_t count);
/* Appends the region's ranges; base, mode and line come from `like`. Spends steps of the case; when
 * there are none left, constraints are dropped. */
void sc_region_emit(struct sc_eval *e, const struct sc_region *r,
		    const struct sc_footprint_range *like, sc_range_list *out);
