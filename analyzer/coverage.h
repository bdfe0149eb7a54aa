/* Coverage: counts what a trace says and notices what it does not. */
#ifndef SC_ANALYZER_COVERAGE_H
#define SC_ANALYZER_COVERAGE_H

#include "analyzer/state.h"

void sc_coverage_count(struct sc_analysis *a, const struct sc_record *r);
/* The same for a routine op: work that was enqueued at once. */
void sc_coverage_count_routine(struct sc_analysis *a, const struct sc_record *r);
/* After the last record. */
void sc_coverage_finish(struct sc_analysis *a);

#endif
