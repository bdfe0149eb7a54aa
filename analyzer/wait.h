/* Waits: what a wait covers, and a short memory of the last ones for explaining a race.
 *
 * A target is a point, for streams and events, or a clock, for what consists of several streams
 * (a context, a legacy stream). Logs keep the last SC_WAIT_LOG waits of the host or of one stream.
 */
#ifndef SC_ANALYZER_WAIT_H
#define SC_ANALYZER_WAIT_H

#include "analyzer/when.h"
#include "base/slab.h"

enum sc_wait_kind {
	SC_WAIT_STREAM,
	SC_WAIT_EVENT,
	SC_WAIT_CONTEXT,
	SC_WAIT_COPY,	  /* a synchronous copy or fill */
	SC_WAIT_NEVER,	  /* an event that was never recorded (E-3) */
	SC_WAIT_LAUNCH,	  /* an event that a launch recorded (E-14) */
	SC_WAIT_FOREIGN,  /* an event that another process may have recorded (E-12) */
	SC_WAIT_NOT_READY /* a query that answered "not ready" */
};

struct sc_target {
	struct sc_point point; /* owned */
	struct sc_clock *more; /* owned */
};

#define SC_WAIT_LOG 16

struct sc_wait {
	_Alignas(SC_CACHE_LINE) uint64_t sequence; /* of the op that waited */
	struct sc_target covers;		   /* owned */
	uint64_t record; /* the record that was waited for: its sequence + 1, or 0 */
	uint32_t thread; /* of the caller */
	uint32_t object; /* event, or stream */
	uint8_t kind;	 /* enum sc_wait_kind */
};

/* An empty one is all zero. */
struct sc_wait_log {
	struct sc_wait *last; /* owned: a ring of SC_WAIT_LOG; NULL: there was none */
	uint32_t count;	      /* ever added */
	_Bool has_more;	      /* some cover more than a point */
};

/* True if the end of `x` is covered. */
_Bool sc_target_covers(const struct sc_target *t, const struct sc_when *x);
/* True if something of x's lane that came before x is covered. */
_Bool sc_target_covers_earlier(const struct sc_target *t, const struct sc_when *x);
/* True if the target stands for any work at all. */
_Bool sc_target_is_any(const struct sc_target *t);
/* True if all of it is in the clock. */
_Bool sc_target_is_in(const struct sc_target *t, const struct sc_clock *c);
/* *c learns the target; true if that was news. */
_Bool sc_target_join(struct sc_clock_pool *pool, struct sc_clock **c, const struct sc_target *t);
struct sc_target sc_target_get(const struct sc_target *t);
void sc_target_put(struct sc_clock_pool *pool, struct sc_target *t);

/* The slow part of sc_wait_log_next. */
void sc_wait_log_begin(struct sc_wait_log *log);
/* Room for the next wait, without what was there; its content is undefined. */
static inline struct sc_wait *sc_wait_log_next(struct sc_clock_pool *pool, struct sc_wait_log *log)
{
	struct sc_wait *w;

	if (!log->last)
		sc_wait_log_begin(log);
	w = &log->last[log->count++ % SC_WAIT_LOG];
	sc_clock_put_later(pool, w->covers.point.base);
	if (log->has_more)
		sc_clock_put(pool, w->covers.more);
	return w;
}
/* Adds a wait; the log keeps its own reference of what it covers. */
void sc_wait_log_add(struct sc_clock_pool *pool, struct sc_wait_log *log,
		     const struct sc_wait *wait);
/* The i-th last wait (0 = newest), or NULL. */
const struct sc_wait *sc_wait_log_at(const struct sc_wait_log *log, uint32_t i);
void sc_wait_log_fini(struct sc_clock_pool *pool, struct sc_wait_log *log);

#endif
