/* Ways: the same trace analyzed op by op the long way, and with routine ops taken in one go
 * (analyzer/routine/routine.h). */
#ifndef SC_TESTS_TRACES_WAYS_H
#define SC_TESTS_TRACES_WAYS_H

#include "analyzer/analysis.h"

/* The number of findings that differ, with advice and without; prints the first of them. */
unsigned ways_compare(struct sc_reader *r, const struct sc_analysis_settings *settings);

#endif
