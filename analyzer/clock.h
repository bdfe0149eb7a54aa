/* Clocks: what is known to be complete, one number per lane.
 *
 * A lane is the time line of a stream; the number is the trace position (sequence number + 1) up to
 * which the lane's ops are complete. Naive form: a map lane -> position, joined by taking maxima.
 * Here clocks are counted, shared and never changed while shared (copy on write), so that handing
 * one on costs a count, and the empty clock is NULL. Clocks are closed: who knows that an op is
 * complete knows everything that op waited for. A point (a clock plus one op) is therefore
 * contained in a clock if its one op is, which makes most joins a single comparison. The naive form
 * is kept in tests/unit/test_clock.c and compared.
 *
 * Costs: sc_clock_at one load; a join that changes something one pass over the lanes.
 */
#ifndef SC_ANALYZER_CLOCK_H
#define SC_ANALYZER_CLOCK_H

#include <stdint.h>

#define SC_CLOCK_CLASSES 28

struct sc_clock {
	uint32_t refs;
	uint32_t lanes;	       /* valid entries; others are 0 */
	uint32_t room;	       /* entries that fit, a power of two */
	struct sc_clock *next; /* in the pool's free list */
	uint64_t at[];
};

/* Where clocks come from and go back to. An empty pool is all zero. */
struct sc_clock_pool {
	struct sc_clock *free[SC_CLOCK_CLASSES]; /* owned, by log2 of the room */
};

/* A moment on a lane: everything in `base`, and the lane up to `position`. */
struct sc_point {
	struct sc_clock *base;
	uint32_t lane;
	uint64_t position; /* 0 = never: the point knows nothing */
};

void sc_clock_pool_fini(struct sc_clock_pool *pool);

static inline uint64_t sc_clock_at(const struct sc_clock *c, uint32_t lane)
{
	return c && lane < c->lanes ? c->at[lane] : 0;
}

static inline struct sc_clock *sc_clock_get(struct sc_clock *c)
{
	if (c)
		c->refs++;
	return c;
}

void sc_clock_put(struct sc_clock_pool *pool, struct sc_clock *c);
/* Replaces *c by another clock (counted up). */
void sc_clock_set(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *other);
/* *c learns that the lane is complete up to `position`. */
void sc_clock_raise(struct sc_clock_pool *pool, struct sc_clock **c, uint32_t lane,
		    uint64_t position);
/* *c learns everything in `other`; true if that was news. */
_Bool sc_clock_join(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *other);

static inline _Bool sc_point_is_in(const struct sc_point *p, const struct sc_clock *c)
{
	return sc_clock_at(c, p->lane) >= p->position;
}

/* *c learns a point; true if that was news. */
_Bool sc_clock_join_point(struct sc_clock_pool *pool, struct sc_clock **c,
			  const struct sc_point *p);
/* Counts a point's clock up; for keeping a copy of the point. */
struct sc_point sc_point_get(const struct sc_point *p);
void sc_point_put(struct sc_clock_pool *pool, struct sc_point *p);

#endif
