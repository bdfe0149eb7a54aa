/* Threads: whether the host threads that run the two lines of an edit are ordered.
 *
 * A wait for an event waits for what was recorded before the call. So an event that one thread
 * records and another one waits for is right only if the threads are ordered by what they do
 * themselves (a join, a lock, a flag) each time that the lines run: each wait after the record
 * before it, and each record after all earlier waits and records, so that it stays open to no
 * chance for which record a wait is, and who makes the event. Beside whole calls (calls.h) a wait
 * counts where its call begins, and a record where it has ended. Naive form: all pairs of calls are
 * asked about; here a wait is compared with the last record, and a record with the last call of
 * each thread. Costs one analysis of the trace, with strict hosts (order/host.h).
 */
#pragma once

#include <stddef.h>
#include "extensions/repair/planner/calls.h"
#include "extensions/repair/planner/edit.h"
#include "trace/reader.h"

enum sc_threads {
	SC_THREADS_ONE,	      /* both lines run in one thread only */
	SC_THREADS_ORDERED,   /* in several, which are ordered each time */
	SC_THREADS_UNORDERED, /* in several, which nothing orders once at least */
	SC_THREADS_UNKNOWN    /* in several, and it was not recorded what orders these */
};

/* Writes the answer for each edit; the reader stands at the end of the trace afterwards. `from`
 * (with `data`): as in struct sc_calls. */
void sc_threads_find(enum sc_threads *out, struct sc_reader *r, const struct sc_edit *edits,
		     size_t count, sc_calls_from *from, void *data);
