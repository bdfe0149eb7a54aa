/* Trails: of each operation of a trace, by which calls later ones come after it; as `streamcheck
 * order` and `explain` show them. */
#pragma once

#include "analyzer/analysis.h"

/* The number of edges that do not lead from an earlier operation to one after it, and of paths that
 * do not begin at the followed operation; prints them. */
unsigned trails_check(struct sc_reader *r, const struct sc_analysis_settings *settings);
