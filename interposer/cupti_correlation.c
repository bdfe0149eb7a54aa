/* Links from CUPTI's correlation ids to ops. */
#include "interposer/cupti_correlation.h"

#include <stddef.h>
#include "interposer/arena.h"

void sc_correlations_init(struct sc_correlations *links)
{
	links->slot = sc_arena_get(SC_CORRELATIONS * sizeof(*links->slot));
}

void sc_correlations_put(struct sc_correlations *links, uint32_t correlation, uint64_t link)
{
	struct sc_correlation *slot;

	if (!links->slot || !correlation)
		return;
	slot = &links->slot[correlation % SC_CORRELATIONS];
	atomic_store_explicit(&slot->correlation, 0, memory_order_relaxed);
	/* release: a reader that sees this link also sees that the old pair is gone */
	atomic_store_explicit(&slot->link, link, memory_order_release);
	/* release: pairs with the acquire in sc_correlations_find, which then reads this link */
	atomic_store_explicit(&slot->correlation, correlation, memory_order_release);
}

uint64_t sc_correlations_find(const struct sc_correlations *links, uint32_t correlation)
{
	struct sc_correlation *slot;
	uint64_t link;

	if (!links->slot || !correlation)
		return 0;
	slot = &links->slot[correlation % SC_CORRELATIONS];
	if (atomic_load_explicit(&slot->correlation, memory_order_acquire) != correlation)
		return 0;
	link = atomic_load_explicit(&slot->link, memory_order_acquire);
	/* still this pair: it was not overwritten between the two loads */
	if (atomic_load_explicit(&slot->correlation, memory_order_relaxed) != correlation)
		return 0;
	return link;
}
