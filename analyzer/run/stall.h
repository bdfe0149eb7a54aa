/* Stalls: which streams the default stream held up, and for how long, for SC-302.
 *
 * All later work of a blocking stream waits for an op of the legacy stream (S-3). The first such
 * work was held up from when it was enqueued and all earlier work of its own stream was done, until
 * the op was done. That is what happened in this run, measured by device times; something else may
 * have held it up as well. Spans that are shorter than the error of the times do not count, nor do
 * those after work whose time is not known. Costs nothing if it is not wanted; else one entry a
 * stream and one for each stream that a place held up.
 */
#pragma once

#include "analyzer/symbol/callsite.h"
#include "analyzer/run/device_time.h"

/* A stream that the ops of one place held up. */
struct sc_stall {
	uint32_t place; /* number of the place */
	uint32_t stream;
	uint64_t count; /* how often */
	uint64_t ns;	/* in all */
};

/* A stream on the second pass. */
struct sc_stalled_stream {
	uint32_t flags, context;
	uint64_t done_ns; /* end of its last work; UINT64_MAX: not known */
	uint64_t after;	  /* sequence number + 1 of the barrier that its work comes after */
};

/* The last op of a context's legacy stream that was asked for. */
struct sc_barrier_span {
	uint64_t sequence_plus;
	uint64_t end_ns;
	uint32_t place;
};

struct sc_stalls {
	struct sc_u64_map places; /* call site and kind of op, to number + 1 */
	uint32_t place_count;
	struct sc_u64_map by_stream, by_context, by_both; /* to index + 1 */
	SC_VECTOR(struct sc_stalled_stream) streams;
	SC_VECTOR(struct sc_barrier_span) barriers;
	SC_VECTOR(struct sc_stall) list; /* once finished: by place, the longest first */
};

/* The streams that ops like this one held up will be asked for. */
void sc_stalls_want(struct sc_stalls *h, uint64_t site, const struct sc_op *op);
/* Takes each record of the second pass, in order. */
void sc_stalls_visit(struct sc_stalls *h, const struct sc_device_times *t,
		     struct sc_callsites *sites, const struct sc_reader *reader,
		     const struct sc_record *r);
/* The pass is over. */
void sc_stalls_finish(struct sc_stalls *h);
/* The streams that the ops like this one held up, the longest first; returns how many. */
size_t sc_stalls_of(const struct sc_stalls *h, uint64_t site, const struct sc_op *op,
		    const struct sc_stall **first);
void sc_stalls_fini(struct sc_stalls *h);
