/* Suppress: takes unwanted findings out of an analysis, without losing them. */
#ifndef SC_ANALYZER_SUPPRESS_H
#define SC_ANALYZER_SUPPRESS_H

#include <stdbool.h>
#include "analyzer/analysis.h"

/* Asks for every finding, in order; those that are not wanted are gone from sc_analysis_findings
 * afterwards. A caller that wants to keep such findings copies them when asked; their ops stay
 * known to sc_analysis_record. */
void sc_analysis_take_out(struct sc_analysis *a,
			  bool (*is_wanted)(void *context, size_t index,
					    const struct sc_finding *f),
			  void *context);

#endif
