/* Ways: the same trace analyzed with all rules asked about each op, and with routine ops kept from
 * those that they do not concern; and at once and in steps, as one that is still written
 * (analyzer/analysis.c). */
#pragma once

#include "analyzer/analysis.h"

/* The number of findings that differ, with advice and without; prints the first of them. */
unsigned ways_compare(struct sc_reader *r, const struct sc_analysis_settings *settings);
/* The number of findings that differ between two traces of one run. */
unsigned ways_compare_traces(struct sc_reader *one, struct sc_reader *other,
			     const struct sc_analysis_settings *settings);
/* The same for a trace that grows by up to `most` records between two looks at it. The reader is
 * not used afterwards. */
unsigned ways_compare_steps(struct sc_reader *r, const struct sc_analysis_settings *settings,
			    unsigned most);
/* The number of proven findings that only an analysis has which remembers one thing of each kind
 * that is over. */
unsigned ways_forget(struct sc_reader *r, const struct sc_analysis_settings *settings);
