/* Points: a clock plus one op, as an event or the end of a stream is known. As clocks are closed, a
 * point is in a clock if its one op is, which makes most joins a single comparison.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/clock/clock.h"

/* A moment on a lane: everything in `base`, and the lane up to `position`. */
struct sc_point {
	struct sc_clock *base;
	uint32_t lane;
	uint64_t position; /* below SC_TRACE_SLOTS_MAX; 0 = never: the point knows nothing */
};

static inline bool sc_point_is_in(const struct sc_point *p, const struct sc_clock *c)
{
	return sc_clock_at(c, p->lane) >= p->position;
}

/* The same of what the clock knows for sure: there is nothing to be learned from the point. */
static inline bool sc_point_is_surely_in(const struct sc_point *p, const struct sc_clock *c)
{
	return sc_point_is_in(p, sc_clock_is_pair(c) ? c->sure : c);
}

/* *c learns a point that is not in it. */
void sc_clock_add_point(struct sc_clock_pool *pool, struct sc_clock **c, const struct sc_point *p);
/* *c learns a point; true if that was news. */
static inline bool sc_clock_join_point(struct sc_clock_pool *pool, struct sc_clock **c,
				       const struct sc_point *p)
{
	if (sc_point_is_surely_in(p, *c))
		return 0;
	sc_clock_add_point(pool, c, p);
	return 1;
}
/* Counts a point's clock up; for keeping a copy of the point. */
static inline struct sc_point sc_point_get(const struct sc_point *p)
{
	sc_clock_get(p->base);
	return *p;
}
void sc_point_put(struct sc_clock_pool *pool, struct sc_point *p);
