/* Talk: which orders kernels may make themselves, through words in memory (M-4, D-7). */
#include "analyzer/order/kernel_sync.h"

#include <stdbool.h>
#include "analyzer/order/order.h"

#define TALKS (SC_GRID_TELLS_HOST | SC_GRID_HEARS_HOST | SC_GRID_TELLS | SC_GRID_HEARS)

static const struct {
	unsigned tells, hears;
} bits[SC_KERNEL_SYNC_REACHES] = {
	[SC_KERNEL_SYNC_SYSTEM] = {SC_GRID_TELLS_HOST, SC_GRID_HEARS_HOST},
	[SC_KERNEL_SYNC_DEVICE] = {SC_GRID_TELLS, SC_GRID_HEARS},
};

void sc_kernel_sync_fini(struct sc_order *o)
{
	for (size_t i = 0; i < o->talk.lanes.count; i++)
		for (unsigned r = 0; r < SC_KERNEL_SYNC_REACHES; r++)
			sc_clock_put(&o->pool, o->talk.lanes.items[i].start[r]);
	sc_vector_fini(&o->talk.lanes);
}

static struct sc_kernel_sync_lane *lane_of(struct sc_order *o, uint32_t lane)
{
	for (size_t i = 0; i < o->talk.lanes.count; i++)
		if (o->talk.lanes.items[i].lane == lane)
			return &o->talk.lanes.items[i];
	sc_vector_push(&o->talk.lanes, (struct sc_kernel_sync_lane){.lane = lane});
	return &o->talk.lanes.items[o->talk.lanes.count - 1];
}

void sc_kernel_sync_note(struct sc_order *o, const struct sc_step *step, unsigned grid)
{
	struct sc_kernel_sync_lane *l;

	if (!(grid & TALKS) || !step->is_enqueued)
		return;
	l = lane_of(o, step->when.lane);
	for (unsigned r = 0; r < SC_KERNEL_SYNC_REACHES; r++) {
		if (grid & bits[r].tells) {
			l->told[r] = step->when.position;
			sc_clock_set(&o->pool, &l->start[r], step->when.start);
		}
		if (!(grid & bits[r].hears))
			continue;
		l->heard_last[r] = step->when.position;
		if (!l->heard_first[r])
			l->heard_first[r] = step->when.position;
	}
}

/* True if x, or a kernel that comes after x, notifies others. */
static bool may_tell(const struct sc_order *o, const struct sc_when *x, unsigned reach)
{
	for (size_t i = 0; i < o->talk.lanes.count; i++) {
		const struct sc_kernel_sync_lane *l = &o->talk.lanes.items[i];

		if (!l->told[reach])
			continue;
		if (x->lane == l->lane ? x->position <= l->told[reach]
				       : sc_clock_at(l->start[reach], x->lane) >= x->position)
			return 1;
	}
	return 0;
}

bool sc_kernel_sync_may_end(const struct sc_order *o, const struct sc_when *x)
{
	for (size_t i = 0; i < o->talk.lanes.count; i++) {
		const struct sc_kernel_sync_lane *l = &o->talk.lanes.items[i];
		struct sc_when teller = {.start = l->start[SC_KERNEL_SYNC_SYSTEM],
					 .lane = l->lane,
					 .position = l->told[SC_KERNEL_SYNC_SYSTEM]};

		if (teller.position && sc_when_before(x, &teller))
			return 1;
	}
	return 0;
}

/* True if x, or a kernel that x comes after, hears, and had not ended for sure when `teller`
 * began. */
static bool may_hear(const struct sc_order *o, const struct sc_when *x,
		     const struct sc_when *teller, unsigned reach)
{
	for (size_t i = 0; i < o->talk.lanes.count; i++) {
		const struct sc_kernel_sync_lane *l = &o->talk.lanes.items[i];
		struct sc_when first = {.lane = l->lane, .position = l->heard_first[reach]};
		struct sc_when last = {.lane = l->lane, .position = l->heard_last[reach]};

		if (!first.position || sc_when_before(&last, teller))
			continue;
		if (sc_when_same(&first, x) || sc_when_before(&first, x))
			return 1;
	}
	return 0;
}

bool sc_kernel_sync_may_order(const struct sc_order *o, const struct sc_when *a, bool a_is_host,
			      const struct sc_when *b, bool b_is_host)
{
	unsigned reach = a_is_host || b_is_host ? SC_KERNEL_SYNC_SYSTEM : SC_KERNEL_SYNC_DEVICE;

	if (!o->talk.lanes.count || (a_is_host && b_is_host))
		return 0;
	return ((a_is_host || may_tell(o, a, reach)) && (b_is_host || may_hear(o, b, a, reach))) ||
	       ((b_is_host || may_tell(o, b, reach)) && (a_is_host || may_hear(o, a, b, reach)));
}
