/* Waits: what a wait covers, and a short memory of the last ones for explaining a race.
 *
 * A target is a point, for streams and events, or a clock, for what consists of several streams
 * (a context, a legacy stream). Logs keep the last SC_WAIT_LOG waits of the host or of one stream,
 * that of a stream only a few of the clocks: they are most of what hundreds of streams take.
 */
#ifndef SC_ANALYZER_ORDER_WAIT_H
#define SC_ANALYZER_ORDER_WAIT_H

#include <stdbool.h>
#include "analyzer/clock/interval.h"

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

struct sc_wait {
	uint64_t sequence;	 /* of the op that waited */
	struct sc_target covers; /* owned, unless it comes from a log */
	uint64_t record;	 /* the record that was waited for: its sequence + 1, or 0 */
	uint32_t thread;	 /* of the caller */
	uint32_t object;	 /* event, or stream */
	uint8_t kind;		 /* enum sc_wait_kind */
	bool is_part;		 /* it covers more than `covers` says: the log forgot what */
};

#define SC_WAIT_LOG  16
#define SC_WAIT_DEEP 4 /* in how many of a stream's the log has all that is covered */

/* A wait without the clocks. */
struct sc_wait_entry {
	uint32_t lane, position;   /* of the point that it covers */
	uint32_t sequence, record; /* as in struct sc_wait */
	uint32_t thread, object;
	uint8_t kind;
	bool has_base; /* of the point */
};

/* Memory of a log, which begins a cache line; so does what follows `last`. */
struct sc_wait_ring {
	struct sc_wait_entry last[SC_WAIT_LOG];
	struct sc_clock **more;	   /* owned: one for each, owned; NULL: all cover a point only */
	struct sc_clock *bases[0]; /* owned: `deep` of them */
};

/* An empty one of a stream is all zero. */
struct sc_wait_log {
	struct sc_wait_ring *ring; /* owned; NULL: there was none */
	uint32_t count;		   /* ever added */
	uint8_t deep;		   /* 0: SC_WAIT_DEEP */
};

/* True if the end of `x` is covered. */
bool sc_target_covers(const struct sc_target *t, const struct sc_when *x);
/* True if something of x's lane that came before x is covered. */
bool sc_target_covers_earlier(const struct sc_target *t, const struct sc_when *x);
/* True if the target covers any work at all. */
bool sc_target_is_any(const struct sc_target *t);
/* True if all of it is in the clock. */
bool sc_target_is_in(const struct sc_target *t, const struct sc_clock *c);
/* *c learns the target; true if that was news. */
bool sc_target_join(struct sc_clock_pool *pool, struct sc_clock **c, const struct sc_target *t);
void sc_target_put(struct sc_clock_pool *pool, struct sc_target *t);

/* The slow parts of sc_wait_log_add. */
void sc_wait_log_begin(struct sc_wait_log *log);
void sc_wait_log_more(struct sc_clock_pool *pool, struct sc_wait_log *log, struct sc_clock *more);

static inline uint32_t sc_wait_log_deep(const struct sc_wait_log *log)
{
	return log->deep ? log->deep : SC_WAIT_DEEP;
}

/* Adds a wait; the log keeps its own reference of what it covers. */
static inline void sc_wait_log_add(struct sc_clock_pool *pool, struct sc_wait_log *log,
				   const struct sc_wait *w)
{
	const struct sc_point *p = &w->covers.point;
	struct sc_clock **base;

	if (!log->ring)
		sc_wait_log_begin(log);
	if (w->covers.more || log->ring->more)
		sc_wait_log_more(pool, log, w->covers.more);
	base = &log->ring->bases[log->count % sc_wait_log_deep(log)];
	sc_clock_put_later(pool, *base);
	*base = sc_clock_get(p->base);
	log->ring->last[log->count++ % SC_WAIT_LOG] =
		(struct sc_wait_entry){.lane = p->lane,
				       .position = p->position,
				       .sequence = (uint32_t)w->sequence,
				       .record = (uint32_t)w->record,
				       .thread = w->thread,
				       .object = w->object,
				       .kind = w->kind,
				       .has_base = p->base != NULL};
}
/* *w gets the i-th last wait (0 = newest), borrowed; false: there is none. */
bool sc_wait_log_at(const struct sc_wait_log *log, uint32_t i, struct sc_wait *w);
/* From now on the log has all that is covered by each of its waits. */
void sc_wait_log_deepen(struct sc_wait_log *log);
void sc_wait_log_fini(struct sc_clock_pool *pool, struct sc_wait_log *log);

#endif
