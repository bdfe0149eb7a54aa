/* Where clocks come from and go back to, by ranks of sizes; part of clock.c.
 *
 * Sizes are 64, 128, 256, … bytes, so that a small clock begins a cache line and wastes little of
 * its last one; the larger ones have a line more, so that a power of two of lanes fits and they do
 * not all begin in the same sets of a cache. What was given back last is handed out first.
 */
#ifndef SC_ANALYZER_CLOCK_POOL_H
#define SC_ANALYZER_CLOCK_POOL_H

#include "analyzer/clock.h"

#define SC_CLOCK_HEAD_WORDS (sizeof(struct sc_clock) / sizeof(uint32_t))
#define SC_CLOCK_LINE_WORDS (SC_CACHE_LINE / sizeof(uint32_t))
#define SC_CLOCK_LINE_MORE  4 /* the first rank with a line more */

static inline uint32_t sc_clock_room(unsigned rank)
{
	return (uint32_t)((SC_CLOCK_LINE_WORDS << rank) - SC_CLOCK_HEAD_WORDS +
			  (rank < SC_CLOCK_LINE_MORE ? 0 : SC_CLOCK_LINE_WORDS));
}

/* A clock of the rank, never used before. */
struct sc_clock *sc_clock_make(struct sc_clock_pool *pool, unsigned rank);

/* An empty clock with room for `words`, count 1. */
static inline struct sc_clock *sc_clock_take(struct sc_clock_pool *pool, uint32_t words)
{
	unsigned rank = 0;
	struct sc_clock *c;

	while (sc_clock_room(rank) < words)
		rank++;
	c = pool->free[rank];
	if (c)
		pool->free[rank] = c->next;
	else
		c = sc_clock_make(pool, rank);
	c->refs = 1;
	c->count = 0;
	c->version = c->contains = 0;
	c->base = NULL;
	return c;
}

static inline void sc_clock_release(struct sc_clock_pool *pool, struct sc_clock *c)
{
	c->next = pool->free[c->rank];
	pool->free[c->rank] = c;
}

#endif
