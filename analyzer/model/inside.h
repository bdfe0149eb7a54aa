/* Inside: which parts of the run were recorded in full (option window): where windows begin and end
 * in the trace. A run without such ops is inside from its first record to its last.
 *
 * Represented by the sequence numbers of these ops: the first ends a window, the next begins one.
 * Of a run with very many windows the last ones are known, 131,072 of them at least.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "analyzer/finding/finding.h"
#include "analyzer/model/coverage.h"
#include "base/vector.h"

/* All zero before the first record. */
struct sc_inside {
	SC_VECTOR(uint64_t) edges;    /* the last ones: what is before them counts as outside */
	uint64_t begun_ops, begun_ns; /* of the coverage and the clock, where the window began */
	uint64_t first_ns, last_ns;
	size_t remembered; /* windows that are known at least; 0: all */
	bool has_dropped;  /* older edges are not known any more */
};

/* Takes a record that is not routine; counts what was inside. */
void sc_inside_note(struct sc_inside *in, struct sc_coverage *c, const struct sc_record *r);
/* After the last record: counts the window that is open. */
void sc_inside_finish(struct sc_inside *in, struct sc_coverage *c);
void sc_inside_fini(struct sc_inside *in);
/* True if the current record is outside. */
static inline bool sc_inside_is_out(const struct sc_inside *in)
{
	return in->edges.count % 2;
}
/* False if no operation of the finding is inside, so that it is not one. If one of two is outside,
 * what the host did there was not recorded: the finding is no more than possible. */
bool sc_inside_judge(const struct sc_inside *in, struct sc_finding *f);
