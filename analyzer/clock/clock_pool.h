/* Where clocks come from and go back to, by ranks of sizes; part of clock.c.
 *
 * Sizes are 64, 128, 256, … bytes, so that a small clock begins a cache line and wastes little of
 * its last one; the larger ones have a line more, so that a power of two of lanes fits and they do
 * not all begin in the same sets of a cache. What was given back last is handed out first.
 */
#ifndef SC_ANALYZER_CLOCK_CLOCK_POOL_H
#define SC_ANALYZER_CLOCK_CLOCK_POOL_H

#include <stdbool.h>
#include "analyzer/clock/clock.h"

#define SC_CLOCK_LINE_MORE 4 /* the first rank with a line more */

static inline size_t sc_clock_bytes(unsigned rank)
{
	return ((size_t)SC_CACHE_LINE << rank) + (rank < SC_CLOCK_LINE_MORE ? 0 : SC_CACHE_LINE);
}

static inline size_t sc_clock_bytes_dense(uint32_t lanes)
{
	return offsetof(struct sc_clock, at) + lanes * sizeof(uint32_t);
}

static inline size_t sc_clock_bytes_sparse(uint32_t entries)
{
	return offsetof(struct sc_clock, further) + entries * sizeof(struct sc_clock_entry);
}

/* A clock of the rank, never used before. */
struct sc_clock *sc_clock_make(struct sc_clock_pool *pool, unsigned rank);

/* An empty clock of so many bytes, count 1, dense or not. */
static inline struct sc_clock *sc_clock_take(struct sc_clock_pool *pool, size_t bytes,
					     bool is_dense)
{
	unsigned rank = 0;
	struct sc_clock *c;

	while (sc_clock_bytes(rank) < bytes)
		rank++;
	c = pool->free[rank];
	if (c)
		pool->free[rank] = c->next;
	else
		c = sc_clock_make(pool, rank);
	c->refs = 1;
	c->count = 0;
	c->is_dense = is_dense;
	c->version = 0; /* or the base */
	if (is_dense)
		c->contains = 0;
	return c;
}

static inline void sc_clock_release(struct sc_clock_pool *pool, struct sc_clock *c)
{
	c->next = pool->free[c->rank];
	pool->free[c->rank] = c;
}

#endif
