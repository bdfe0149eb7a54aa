/* Synchronizing kernels: which orders kernels may make themselves, through words in memory (M-4,
 * D-7). */
#include "analyzer/order/kernel_sync.h"

#include <stdbool.h>
#include "trace/grid.h"

#define SYNCHRONIZES \
	(SC_GRID_PUBLISHES_HOST | SC_GRID_OBSERVES_HOST | SC_GRID_PUBLISHES | SC_GRID_OBSERVES)

static const struct {
	unsigned publishes, observes;
} bits[SC_KERNEL_SYNC_REACHES] = {
	[SC_KERNEL_SYNC_SYSTEM] = {SC_GRID_PUBLISHES_HOST, SC_GRID_OBSERVES_HOST},
	[SC_KERNEL_SYNC_DEVICE] = {SC_GRID_PUBLISHES, SC_GRID_OBSERVES},
};

void sc_kernel_syncs_fini(struct sc_kernel_syncs *all)
{
	for (size_t i = 0; i < all->lanes.count; i++)
		for (unsigned r = 0; r < SC_KERNEL_SYNC_REACHES; r++)
			sc_clock_put(all->pool, all->lanes.items[i].start[r]);
	sc_vector_fini(&all->lanes);
}

static struct sc_kernel_sync_lane *lane_of(struct sc_kernel_syncs *all, uint32_t lane)
{
	for (size_t i = 0; i < all->lanes.count; i++)
		if (all->lanes.items[i].lane == lane)
			return &all->lanes.items[i];
	sc_vector_push(&all->lanes, (struct sc_kernel_sync_lane){.lane = lane});
	return &all->lanes.items[all->lanes.count - 1];
}

void sc_kernel_sync_note(struct sc_kernel_syncs *all, const struct sc_interval *kernel,
			 unsigned grid)
{
	struct sc_kernel_sync_lane *l;

	if (!(grid & SYNCHRONIZES))
		return;
	l = lane_of(all, kernel->lane);
	for (unsigned r = 0; r < SC_KERNEL_SYNC_REACHES; r++) {
		if (grid & bits[r].publishes) {
			l->published[r] = kernel->position;
			sc_clock_set(all->pool, &l->start[r], kernel->start);
		}
		if (!(grid & bits[r].observes))
			continue;
		l->observed_last[r] = kernel->position;
		if (!l->observed_first[r])
			l->observed_first[r] = kernel->position;
	}
}

/* True if x, or a kernel that comes after x, publishes. */
static bool may_publish(const struct sc_kernel_syncs *all, const struct sc_interval *x,
			unsigned reach)
{
	for (size_t i = 0; i < all->lanes.count; i++) {
		const struct sc_kernel_sync_lane *l = &all->lanes.items[i];

		if (!l->published[reach])
			continue;
		if (x->lane == l->lane ? x->position <= l->published[reach]
				       : sc_clock_at(l->start[reach], x->lane) >= x->position)
			return 1;
	}
	return 0;
}

bool sc_kernel_sync_may_end(const struct sc_kernel_syncs *all, const struct sc_interval *x)
{
	for (size_t i = 0; i < all->lanes.count; i++) {
		const struct sc_kernel_sync_lane *l = &all->lanes.items[i];
		struct sc_interval publisher = {.start = l->start[SC_KERNEL_SYNC_SYSTEM],
						.lane = l->lane,
						.position = l->published[SC_KERNEL_SYNC_SYSTEM]};

		if (publisher.position && sc_interval_before(x, &publisher))
			return 1;
	}
	return 0;
}

/* True if x, or a kernel that x comes after, observes, and had not ended for sure when `publisher`
 * began. Not one of the publisher's own stream: what comes after that comes after the publisher. */
static bool may_observe(const struct sc_kernel_syncs *all, const struct sc_interval *x,
			const struct sc_interval *publisher, unsigned reach)
{
	for (size_t i = 0; i < all->lanes.count; i++) {
		const struct sc_kernel_sync_lane *l = &all->lanes.items[i];
		struct sc_interval first = {.lane = l->lane, .position = l->observed_first[reach]};
		struct sc_interval last = {.lane = l->lane, .position = l->observed_last[reach]};

		if (!first.position || sc_interval_before(&last, publisher) ||
		    (l->lane == publisher->lane && x->lane != publisher->lane))
			continue;
		if (sc_interval_same(&first, x) || sc_interval_before(&first, x))
			return 1;
	}
	return 0;
}

bool sc_kernel_sync_may_order(const struct sc_kernel_syncs *all, const struct sc_interval *a,
			      bool a_is_host, const struct sc_interval *b, bool b_is_host)
{
	unsigned reach = a_is_host || b_is_host ? SC_KERNEL_SYNC_SYSTEM : SC_KERNEL_SYNC_DEVICE;

	if (!all->lanes.count || (a_is_host && b_is_host))
		return 0;
	return ((a_is_host || may_publish(all, a, reach)) &&
		(b_is_host || may_observe(all, b, a, reach))) ||
	       ((b_is_host || may_publish(all, b, reach)) &&
		(a_is_host || may_observe(all, a, b, reach)));
}
