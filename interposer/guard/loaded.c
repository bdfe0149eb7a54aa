/* Memory behind loaded pointers: which of it is watched for a launch. */
#include "interposer/guard/loaded.h"

#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/guard/watchpoint.h"
#include "interposer/object/handle.h"
#include "interposer/object/kernel_text.h"
#include "interposer/object/memory.h"

#define MIB (UINT64_C(1) << 20)

bool sc_loaded_is_used_by(const struct sc_handle *function)
{
	enum sc_addresses addresses;

	if (!function || !sc_memory_has_host(&sc_memory))
		return false;
	addresses = sc_kernel_text_addresses(function->text_name);
	return addresses == SC_ADDRESSES_LOADED ||
	       (addresses == SC_ADDRESSES_UNKNOWN &&
		sc_session.options.footprints == SC_FOOTPRINTS_RECORDED);
}

static struct sc_loaded_watch current(const struct sc_enqueued *x)
{
	return (struct sc_loaded_watch){
		.stream = x->stream.id,
		.context = x->op->context,
		.memory = atomic_load_explicit(&sc_memory.version, memory_order_relaxed),
		.openings = atomic_load_explicit(&sc_guard.openings, memory_order_relaxed),
	};
}

static bool is_same(const struct sc_loaded_watch *a, const struct sc_loaded_watch *b)
{
	return a->stream == b->stream && a->context == b->context && a->memory == b->memory &&
	       a->openings == b->openings;
}

bool sc_loaded_renew(const struct sc_enqueued *x)
{
	struct sc_guard *g = &sc_guard;
	struct sc_loaded_watch now;
	bool is_there;

	sc_lock_get(&g->lock);
	now = current(x);
	is_there = is_same(&g->loaded.last, &now);
	for (unsigned i = 0; is_there && i < g->used; i++) {
		struct sc_watchpoint *a = &g->watchpoint[i];

		if (a->is_live && a->is_launch && a->stream == now.stream &&
		    a->context == now.context)
			sc_watchpoint_wait_for(g, a, x->sequence);
	}
	g->loaded.launches++;
	g->loaded.last = now;
	sc_lock_put(&g->lock);
	return is_there;
}

bool sc_loaded_next(struct sc_loaded_walk *w, struct sc_access *access)
{
	struct sc_known_allocation a;
	uint64_t low = atomic_load_explicit(&sc_memory.host_low, memory_order_relaxed);
	uint64_t high = atomic_load_explicit(&sc_memory.host_high, memory_order_relaxed);

	w->at = w->at > low ? w->at : low;
	while (sc_memory_next(&sc_memory, w->at, &a) && a.start < high) {
		w->at = a.start + a.bytes;
		if (!sc_memory_is_host(a.memory) || a.host)
			continue;
		*access = sc_operand_all_of(&a);
		return true;
	}
	return false;
}

/* For who holds the lock. */
static bool is_within(const struct sc_guard *g, uint64_t bytes)
{
	uint64_t faults = SC_LOADED_FIRST_FAULTS + SC_LOADED_LAUNCH_FAULTS * g->loaded.launches;

	return atomic_load_explicit(&g->live, memory_order_relaxed) < SC_WATCHPOINTS / 2 &&
	       g->loaded.faults < faults &&
	       (sc_session.options.guard == SC_GUARD_SPARSE ||
		(g->bytes <= SC_GUARD_BYTES && bytes <= SC_GUARD_BYTES - g->bytes));
}

bool sc_loaded_has_room(struct sc_loaded_walk *w, const struct sc_access *access)
{
	struct sc_guard *g = &sc_guard;
	bool has_room;

	sc_lock_get(&g->lock);
	has_room = w->count++ < SC_LOADED_ALLOCATIONS && is_within(g, access->width);
	sc_lock_put(&g->lock);
	if (!has_room)
		w->unwatched += access->width;
	return has_room;
}

/* Of all launches that of which most was left out counts. */
void sc_loaded_end(const struct sc_loaded_walk *w)
{
	struct sc_guard *g = &sc_guard;
	uint64_t now = (w->unwatched + MIB - 1) / MIB, before;

	sc_lock_get(&g->lock);
	before = g->loaded.unwatched;
	if (now > before)
		g->loaded.unwatched = now;
	sc_lock_put(&g->lock);
	if (now > before)
		sc_put_gap(SC_GAP_unwatched_mebibytes, now - before);
}
