/* Waits: what a wait covers, and a short memory of the last ones for explaining a race.
 *
 * A target is a point, for streams and events, or a clock, for what consists of several streams
 * (a context, a legacy stream). Logs keep the last SC_WAIT_LOG waits of the host or of one stream.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/clock/interval.h"

enum sc_wait_kind {
	SC_WAIT_STREAM,
	SC_WAIT_EVENT,
	SC_WAIT_CONTEXT,
	SC_WAIT_COPY,	   /* a synchronous copy or fill */
	SC_WAIT_NEVER,	   /* an event that was never recorded (E-3) */
	SC_WAIT_LAUNCH,	   /* an event that a launch recorded (E-14) */
	SC_WAIT_FOREIGN,   /* an event that another process may have recorded (E-12) */
	SC_WAIT_NOT_READY, /* a query that answered "not ready" */
	SC_WAIT_POOL,	   /* an allocator's question about blocks of its own (E-6) */
	SC_WAIT_LUCK	   /* one whose caller does not look at the answer (E-6) */
};

struct sc_target {
	struct sc_point point; /* owned */
	struct sc_clock *more; /* owned */
};

struct sc_wait {
	uint64_t sequence;	 /* of the op that waited */
	struct sc_target covers; /* owned, unless it comes from a log */
	uint64_t record;	 /* the record that was waited for: its sequence + 1, or 0 */
	uint32_t thread;	 /* of the caller */
	uint32_t object;	 /* event, or stream */
	uint8_t kind;		 /* enum sc_wait_kind */
};

#define SC_WAIT_LOG 16

/* An empty one is all zero. */
struct sc_wait_log {
	struct sc_wait *ring; /* owned: SC_WAIT_LOG of them, whose targets are owned; NULL: none */
	uint32_t count;	      /* ever added */
};

/* True if the end of `x` is covered. */
bool sc_target_covers(const struct sc_target *t, const struct sc_interval *x);
/* True if something of x's lane that came before x is covered. */
bool sc_target_covers_earlier(const struct sc_target *t, const struct sc_interval *x);
/* True if the target covers any work at all. */
bool sc_target_is_any(const struct sc_target *t);
/* True if all of it is in the clock. */
bool sc_target_is_in(const struct sc_target *t, const struct sc_clock *c);
/* *c learns the target; true if that was news. */
bool sc_target_join(struct sc_clock_pool *pool, struct sc_clock **c, const struct sc_target *t);
void sc_target_put(struct sc_clock_pool *pool, struct sc_target *t);

/* Fetches into the cache what the next sc_wait_log_add will write over. */
static inline void sc_wait_log_prefetch(const struct sc_wait_log *log)
{
	if (log->ring)
		__builtin_prefetch(log->ring + log->count % SC_WAIT_LOG, 1);
}
/* Adds a wait; the log keeps its own reference of what it covers. */
void sc_wait_log_add(struct sc_clock_pool *pool, struct sc_wait_log *log, const struct sc_wait *w);
/* *w gets the i-th last wait (0 = newest), borrowed; false: there is none. */
bool sc_wait_log_at(const struct sc_wait_log *log, uint32_t i, struct sc_wait *w);
void sc_wait_log_fini(struct sc_clock_pool *pool, struct sc_wait_log *log);
