/* The pool of clocks: new ones, and the end of all. */
#include "analyzer/clock/clock_pool.h"

#include <stdlib.h>
#include "base/heap.h"

struct sc_clock *sc_clock_make(struct sc_clock_pool *pool, unsigned rank)
{
	size_t bytes = sc_clock_bytes(rank);
	struct sc_clock *c = rank < SC_CLOCK_SMALL ? sc_slab_new(&pool->small[rank], bytes)
						   : sc_heap_xcalloc(1, bytes);

	c->rank = rank;
	return c;
}

void sc_clock_pool_fini(struct sc_clock_pool *pool)
{
	if (pool->scratch)
		sc_clock_release(pool, pool->scratch);
	for (unsigned i = 0; i < SC_CLOCK_LEAVING; i++)
		sc_clock_put_later(pool, NULL);
	for (unsigned i = 0; i < SC_CLOCK_SMALL; i++)
		sc_slab_fini(&pool->small[i]);
	for (unsigned i = SC_CLOCK_SMALL; i < SC_CLOCK_RANKS; i++) {
		while (pool->free[i]) {
			struct sc_clock *c = pool->free[i];

			pool->free[i] = c->next;
			free(c);
		}
	}
	*pool = (struct sc_clock_pool){0};
}
