/* Copies whose own operands overlap (rules 118 and 119). */
#pragma once

#include "analyzer/rules/rights.h"

/* Of the step's own op, or of a node of the graph that it launches, whose uses are in a->uses.
 * Other ops than copies are let pass. Cost: sorts the uses of a batch. */
void sc_copy_overlap_check(struct sc_analysis *a, const struct sc_worker *w);
