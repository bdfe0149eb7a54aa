/* Links from CUPTI's correlation ids to ops. */
#include "interposer/cupti/correlation.h"

#include <stddef.h>
#include "interposer/core/arena.h"

#define ROUND_BITS 14 /* of a correlation id, above those that choose the place */
#define ROUND_MASK ((UINT64_C(1) << ROUND_BITS) - 1)

_Static_assert(SC_CORRELATIONS == 1u << (32 - ROUND_BITS), "place and round are a whole id");

void sc_correlations_init(struct sc_correlations *links)
{
	links->slot = sc_arena_get(SC_CORRELATIONS * sizeof(*links->slot));
}

void sc_correlations_put(struct sc_correlations *links, uint32_t correlation, uint64_t link)
{
	uint64_t round = correlation / SC_CORRELATIONS;

	if (links->slot && correlation && link <= UINT64_MAX >> ROUND_BITS)
		atomic_store_explicit(&links->slot[correlation % SC_CORRELATIONS],
				      link << ROUND_BITS | round, memory_order_relaxed);
}

uint64_t sc_correlations_find(const struct sc_correlations *links, uint32_t correlation)
{
	uint64_t pair;

	if (!links->slot || !correlation)
		return 0;
	pair = atomic_load_explicit(&links->slot[correlation % SC_CORRELATIONS],
				    memory_order_relaxed);
	return (pair & ROUND_MASK) == correlation / SC_CORRELATIONS ? pair >> ROUND_BITS : 0;
}
