/* Holds: what is watched for them, and what is not protected. */
#include "interposer/guard/hold.h"

#include <stddef.h>
#include <string.h>
#include "interposer/core/session.h"
#include "interposer/core/windows.h"
#include "interposer/guard/guard.h"
#include "interposer/guard/operand.h"
#include "interposer/guard/watchpoint.h"

#define ENDS_LOOSE 16 /* after so many, the bounds are the narrowest again */

/* What may be protected, and what is watched. */
struct extent {
	uint64_t low, high; /* bounds of the memory of the host that CUDA knows */
	unsigned host;	    /* accesses to any memory of the host */
};

static struct extent extent_of(const struct sc_access *list, unsigned count)
{
	struct extent e = {.low = UINT64_MAX};

	for (unsigned i = 0; i < count; i++) {
		const struct sc_access *a = &list[i];

		if (!sc_memory_is_host(a->memory))
			continue;
		e.host++;
		if (a->memory == SC_MEM_PAGEABLE)
			continue;
		e.low = a->base < e.low ? a->base : e.low;
		e.high = sc_operand_end(a) > e.high ? sc_operand_end(a) : e.high;
	}
	return e;
}

/* With the lock held. */
static void watch(struct sc_guard *g, const struct sc_access *access, uint64_t sequence,
		  struct sc_guard_hold *hold)
{
	struct sc_watchpoint model, *a;

	memset(&model, 0, offsetof(struct sc_watchpoint, poll)); /* nobody has read it */
	model.access = *access;
	model.start = access->base;
	model.end = sc_operand_end(access);
	model.sequence = sequence;
	model.right = access->mode == SC_READ ? SC_MAY_READ : SC_MAY_NOTHING;
	a = sc_watchpoint_put(g, &model);
	hold->is_many = hold->watchpoint != 0;
	hold->watchpoint = (uint32_t)(a - g->watchpoint) + 1;
}

struct sc_guard_hold sc_guard_hold(const struct sc_access *list, unsigned count, uint64_t sequence,
				   bool is_watched)
{
	const struct extent e = extent_of(list, count);
	bool is_exempt = e.low < e.high && sc_session.options.guard != SC_GUARD_OFF;
	struct sc_guard_hold hold = {0};
	struct sc_guard *g = &sc_guard;

	is_watched = is_watched && e.host && !sc_windows_is_closed();
	if (!is_exempt && !is_watched)
		return hold;
	sc_lock_get(&g->lock);
	if (is_exempt) {
		/* no frame is further up than this: only its end ends it */
		hold.exemption =
			sc_exemption_set(&g->exemptions, 0, e.low, e.high, (uint64_t)UINTPTR_MAX);
		sc_guard_open_those(g, e.low, e.high);
	}
	for (unsigned i = 0; is_watched && i < count; i++)
		if (e.host == count || sc_memory_is_host(list[i].memory))
			watch(g, &list[i], sequence, &hold);
	sc_lock_put(&g->lock);
	if (is_exempt && !hold.exemption)
		sc_guard_have_too_many();
	return hold;
}

static bool is_of(struct sc_watchpoint *a, void *sequence)
{
	return !a->stream && a->sequence == *(const uint64_t *)sequence;
}

/* With the lock held. Bounds that are too wide cost a look at the table, and so does making them
 * narrower. */
static void narrow(struct sc_guard *g)
{
	if (atomic_load_explicit(&g->live, memory_order_relaxed) && ++g->loose < ENDS_LOOSE)
		return;
	g->loose = 0;
	sc_watchpoint_set_bounds(g);
}

/* With the lock held. Another operation may have its place, or the memory may have ended. */
static void unwatch(struct sc_guard *g, uint32_t number, uint64_t sequence)
{
	struct sc_watchpoint *a = &g->watchpoint[number - 1];

	if (!a->is_live || !is_of(a, &sequence))
		return;
	sc_watchpoint_remove(g, a);
	narrow(g);
}

void sc_guard_release(struct sc_guard_hold hold, uint64_t sequence)
{
	struct sc_guard *g = &sc_guard;

	if (!hold.exemption && !hold.watchpoint)
		return;
	sc_lock_get(&g->lock);
	if (hold.exemption)
		sc_guard_end_exemption(g, hold.exemption);
	if (hold.is_many)
		sc_watchpoint_remove_those(g, is_of, &sequence);
	else if (hold.watchpoint)
		unwatch(g, hold.watchpoint, sequence);
	sc_lock_put(&g->lock);
}
