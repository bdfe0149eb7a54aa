/* Facts: what a plan has to know of a trace besides its findings; read once. */
#pragma once

#include <stdbool.h>
#include "analyzer/run/device_time.h"
#include "base/map.h"
#include "base/vector.h"
#include "extensions/repair/planner/calls.h"
#include "trace/reader.h"

struct sc_analysis;

struct sc_known_record {
	uint64_t place;
	uint32_t stream, event, stack;
};

/* A wait of the host, for a stream if there is one. */
struct sc_known_sync {
	uint64_t place;
	uint32_t stream, thread, context, stack;
};

/* A wait of a stream for a word in memory, for a semaphore, or for an event of a stream that has
 * such a wait. */
struct sc_value_wait {
	uint64_t place;
	uint64_t fulfilled; /* place of the next write of it; 0: none is seen */
	uint64_t latest;    /* of this and those before it */
	uint64_t word;
	uint32_t before; /* the stream's one before, + 1 */
	uint32_t source; /* of an event: the last one of the stream that recorded it, + 1 */
};

/* A host function, from its enqueue on. */
struct sc_host_function {
	uint64_t place, end; /* an end of 0 is none */
	uint32_t stream;
};

/* A host function while it runs. */
struct sc_running {
	uint64_t begin, end; /* places; an end of 0 is none */
	uint32_t stream;
};

struct sc_trace_facts {
	SC_VECTOR(struct sc_known_record) records; /* of events, in order; none in a capture */
	SC_VECTOR(struct sc_known_sync) syncs;	   /* in order */
	struct sc_u64_map functions; /* place + 1 of the op that enqueued an execution's function */
	SC_VECTOR(struct sc_value_wait) waits;
	struct sc_u64_map last_waits; /* + 1, of each stream */
	struct sc_u64_map recorded;   /* + 1, of each event: the last one before its record */
	struct sc_u64_map
		open_waits; /* + 1, of each word: the first that nothing was written for */
	SC_VECTOR(struct sc_running) running;	     /* by stream and begin */
	struct sc_u64_map executions;		     /* + 1 of these, while they are read */
	struct sc_u64_map ended;		     /* place, of each execution */
	SC_VECTOR(struct sc_host_function) enqueued; /* by stream and place */
	struct sc_u64_map enqueued_at;		     /* + 1 of these, while they are read */
	struct sc_u64_map destroyed;		     /* place + 1 of the end of an event */
	struct sc_u64_map waiting; /* 1: a kernel that waits for those that it may begin before */
	struct sc_device_times times; /* if the run measured them */
	struct sc_calls calls;	      /* of lines that edits stand beside, read when one does */
	uint64_t count;		      /* records of the trace */
	uint64_t slots;		      /* places of the trace */
};

void sc_trace_facts_read(struct sc_trace_facts *f, struct sc_reader *r);
/* Takes what an analysis of the trace knows of the code of kernels. */
void sc_trace_facts_note_kernels(struct sc_trace_facts *f, const struct sc_analysis *found);
/* The first record of an event in a stream between two places, that may still be waited for at the
 * second; or NULL. */
const struct sc_known_record *sc_trace_facts_record(const struct sc_trace_facts *f, uint32_t stream,
						    uint64_t after, uint64_t before);
/* The last wait of a host thread between two places for another stream than one; or NULL. */
const struct sc_known_sync *sc_trace_facts_sync(const struct sc_trace_facts *f, uint32_t thread,
						uint32_t stream, uint64_t after, uint64_t before);
/* The wait of a host thread, among those after a place, of an index from 0; or NULL. */
const struct sc_known_sync *sc_trace_facts_wait(const struct sc_trace_facts *f, uint32_t thread,
						uint64_t after, size_t index);
/* True if the stream waits, at a place, for a value that is written by a later call: who waits for
 * the stream there may wait for ever. */
bool sc_trace_facts_is_held(const struct sc_trace_facts *f, uint32_t stream, uint64_t at);
/* True if a stream has waited for a value before a place: its later work may rely on it. */
bool sc_trace_facts_has_waited(const struct sc_trace_facts *f, uint32_t stream, uint64_t at);
/* True if a host function of the stream runs then: it may wait for what the host does next. */
bool sc_trace_facts_is_running(const struct sc_trace_facts *f, uint32_t stream, uint64_t at);
/* True if a host function that was enqueued between two places has not returned at the second. */
bool sc_trace_facts_is_pending(const struct sc_trace_facts *f, uint32_t stream, uint64_t after,
			       uint64_t at);
/* True if an execution of a host function had returned then. */
bool sc_trace_facts_has_returned(const struct sc_trace_facts *f, uint32_t execution, uint64_t at);
void sc_trace_facts_fini(struct sc_trace_facts *f);
