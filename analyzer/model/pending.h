/* Pending: calls that had not returned when a trace that is still written was read, of which the
 * coverage counts those that never did.
 *
 * What such a call did is not known: an event record counts as none, as in the trace of a process
 * that was killed. While the process lives the call may return later, so nothing that is found from
 * there on is proven (coverage: late_calls). A call that has a beginning and an end (a wait, a
 * synchronous copy) is taken to succeed until its end says that it did not: then a copy was late.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/model/coverage.h"
#include "base/vector.h"
#include "trace/reader.h"

/* All zero before the first record. */
struct sc_pending {
	SC_VECTOR(uint64_t) calls; /* sequence numbers + 1 */
};

/* Takes a record that the coverage has counted. True if its call may still return, and nobody will
 * know how. */
bool sc_pending_note(struct sc_pending *p, struct sc_coverage *c, const struct sc_record *r,
		     bool is_running);
/* The trace has ended: its records say which calls returned. One that is gone from the trace did.
 */
void sc_pending_finish(struct sc_pending *p, struct sc_coverage *c, const struct sc_reader *reader);
void sc_pending_fini(struct sc_pending *p);
