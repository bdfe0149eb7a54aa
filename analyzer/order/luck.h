/* Luck: what the host would know if it had looked at what its queries answered (E-6).
 *
 * Whoever drops the answer of a query does the same whether the work is complete or not, so the
 * query orders nothing. What it asked for is kept apart from the host's clock: a pair that it would
 * order, and nothing else does, is a finding that says so, whatever the answer was in this run.
 * Naive form: a second host clock, its value at each position. Memory: the last SC_LUCK_MOST values
 * that differ; a pair older than these counts as not ordered, which it is not.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/order/wait.h"

#define SC_LUCK_MOST 16

/* An empty one is all zero. */
struct sc_luck {
	struct {
		uint64_t at;		/* position of the query */
		struct sc_clock *known; /* owned: with all that was known before */
	} list[SC_LUCK_MOST];		/* a ring, later ones contain earlier ones */
	uint32_t count;			/* ever added */
};

/* A query at a position, above 0, asked whether the target is complete; `host`: what the host
 * knows. */
void sc_luck_add(struct sc_clock_pool *pool, struct sc_luck *l, uint64_t at,
		 const struct sc_target *covers, struct sc_clock *host);
/* True if the success of such a query would order the two, one way or the other. Asked of pairs
 * that nothing else orders. */
bool sc_luck_orders(const struct sc_luck *l, const struct sc_interval *x,
		    const struct sc_interval *y);
void sc_luck_fini(struct sc_clock_pool *pool, struct sc_luck *l);
