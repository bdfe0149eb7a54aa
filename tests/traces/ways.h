/* Ways: the same trace analyzed with all rules asked about each op, and with routine ops kept from
 * those that they do not concern (analyzer/analysis.c). */
#ifndef SC_TESTS_TRACES_WAYS_H
#define SC_TESTS_TRACES_WAYS_H

#include "analyzer/analysis.h"

/* The number of findings that differ, with advice and without; prints the first of them. */
unsigned ways_compare(struct sc_reader *r, const struct sc_analysis_settings *settings);

#endif
