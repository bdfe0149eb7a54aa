/* Coverage: counts what a trace says and notices what it does not. */
#ifndef SC_ANALYZER_COVERAGE_H
#define SC_ANALYZER_COVERAGE_H

#include "analyzer/state.h"

void sc_coverage_count(struct sc_analysis *a, const struct sc_record *r);
/* The same for a routine op: work that was enqueued at once. */
static inline void sc_coverage_count_routine(struct sc_analysis *a, const struct sc_record *r)
{
	if (!a->gap && (a->stats->damaged || a->stats->uncommitted))
		a->gap = r->sequence + 1;
	a->coverage.ops++;
	a->coverage.copies += r->op.kind == SC_OP_COPY;
	a->coverage.kernels += r->op.kind == SC_OP_KERNEL;
}
/* After the last record. */
void sc_coverage_finish(struct sc_analysis *a);

#endif
