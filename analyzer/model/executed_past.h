/* The past of executed launches: which of what was read about them no one will ask for again.
 *
 * In a run that is followed such records come for ever. A launch's bytes are asked for when the
 * launch is analyzed; later only by nodes of graphs, which touch what they touched in their last
 * launch until something else is said, or what is documented of the captured launches that they
 * were made of.
 */
#pragma once

#include "analyzer/access/executed.h"
#include "analyzer/graph/exec.h"

struct sc_executed_needs {
	uint64_t launch;       /* launches from this one on are not analyzed yet */
	struct sc_exec *execs; /* borrowed list: all graphs that may be launched again */
	size_t remembered; /* captured launches, and names of functions, that stay: the last ones */
	/* True for an op that a finding refers to: its function's name stays. */
	bool (*is_kept)(const void *data, uint64_t sequence);
	const void *data; /* borrowed: theirs */
};

/* Forgets the rest, now and then: each record costs a constant time on average, and the nodes of
 * all graphs are looked at. Numbers of launches change, also in the nodes. */
void sc_executed_forget(struct sc_executed *e, const struct sc_executed_needs *needs);
