/* Pending operations: lists by request. */
#include "extensions/agents/ucx/pending.h"

#include <stdatomic.h>
#include <stddef.h>
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/slab.h"

#define LISTS 256

/* Of this process. */
static struct {
	struct sc_lock lock;
	atomic_uint count, polled;
	_Atomic uint64_t number;
	struct sc_ucx_pending *list[LISTS]; /* by request */
} all;

static struct sc_ucx_pending **list_of(uint64_t request)
{
	return &all.list[(request * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
}

struct sc_ucx_pending *sc_ucx_pending_new(void)
{
	struct sc_ucx_pending *p = sc_slab_get(SC_SLAB_PENDING, sizeof(*p));

	if (p)
		p->flight.sequence = SC_NOT_WRITTEN;
	return p;
}

void sc_ucx_pending_put(struct sc_ucx_pending *p)
{
	sc_slab_put(SC_SLAB_PENDING, p);
}

/* With the lock held. */
static void link_in(struct sc_ucx_pending *p)
{
	struct sc_ucx_pending **list = list_of(p->request);

	p->next = *list;
	*list = p;
	p->is_listed = true;
	atomic_fetch_add_explicit(&all.count, 1, memory_order_relaxed);
	if (p->is_polled)
		atomic_fetch_add_explicit(&all.polled, 1, memory_order_relaxed);
}

static void unlink_at(struct sc_ucx_pending **link)
{
	struct sc_ucx_pending *p = *link;

	*link = p->next;
	p->is_listed = false;
	atomic_fetch_sub_explicit(&all.count, 1, memory_order_relaxed);
	if (p->is_polled)
		atomic_fetch_sub_explicit(&all.polled, 1, memory_order_relaxed);
}

static void unlink(struct sc_ucx_pending *p)
{
	struct sc_ucx_pending **link = list_of(p->request);

	while (*link != p)
		link = &(*link)->next;
	unlink_at(link);
}

static struct sc_ucx_pending *find(uint64_t request)
{
	struct sc_ucx_pending *p = *list_of(request);

	while (p && p->request != request)
		p = p->next;
	return p;
}

/* Its operation, which ends once. With the lock held. */
static struct sc_mpi_flight take_flight(struct sc_ucx_pending *p)
{
	struct sc_mpi_flight flight = p->flight;

	p->flight.sequence = SC_NOT_WRITTEN;
	return flight;
}

/* What the end of an operation is also the end of. */
static void end(const struct sc_ucx_pending *p, struct sc_mpi_flight flight, enum sc_agent_end how)
{
	sc_mpi_agent_end(flight, how);
	if (p->is_flush && how == SC_AGENT_COMPLETE)
		sc_ucx_pending_flushed(p->owner, p->is_workers, p->number);
}

uint64_t sc_ucx_pending_number(void)
{
	return atomic_fetch_add_explicit(&all.number, 1, memory_order_relaxed) + 1;
}

/* A request has one operation at a time: what was listed by its address before is over. */
void sc_ucx_pending_begun(struct sc_ucx_pending *p, uint64_t request)
{
	bool has_run;

	p->request = request;
	sc_lock_get(&all.lock);
	has_run = p->has_run;
	if (!has_run)
		link_in(p);
	sc_lock_put(&all.lock);
	if (has_run)
		sc_ucx_pending_put(p);
}

void sc_ucx_pending_returned(struct sc_ucx_pending *p, bool is_complete)
{
	struct sc_mpi_flight flight = p->flight;

	if (is_complete)
		end(p, flight, SC_AGENT_COMPLETE);
	sc_ucx_pending_put(p);
}

bool sc_ucx_pending_called(struct sc_ucx_pending *p)
{
	struct sc_mpi_flight flight;
	bool was_listed;

	sc_lock_get(&all.lock);
	p->has_run = true;
	flight = take_flight(p);
	was_listed = p->is_listed;
	if (was_listed)
		unlink(p);
	sc_lock_put(&all.lock);
	end(p, flight, SC_AGENT_COMPLETE);
	return was_listed;
}

/* ---- what the program sees ---- */

void sc_ucx_pending_seen(uint64_t request)
{
	struct sc_mpi_flight flight;
	struct sc_ucx_pending *p;
	struct sc_ucx_pending copy;

	sc_lock_get(&all.lock);
	p = request ? find(request) : NULL;
	if (p) {
		flight = take_flight(p);
		copy = *p;
		if (!p->has_callback)
			unlink(p);
	}
	sc_lock_put(&all.lock);
	if (!p)
		return;
	end(&copy, flight, SC_AGENT_COMPLETE);
	if (!copy.has_callback)
		sc_ucx_pending_put(p);
}

/* One with a callback of ours that has not run is never given back: another thread may be about to
 * run it. */
void sc_ucx_pending_freed(uint64_t request, bool is_complete)
{
	struct sc_mpi_flight flight;
	struct sc_ucx_pending *p, copy;

	sc_lock_get(&all.lock);
	p = request ? find(request) : NULL;
	if (p) {
		flight = take_flight(p);
		copy = *p;
		unlink(p);
	}
	sc_lock_put(&all.lock);
	if (!p)
		return;
	end(&copy, flight, is_complete ? SC_AGENT_COMPLETE : SC_AGENT_GIVEN_UP);
	if (!copy.has_callback)
		sc_ucx_pending_put(p);
}

static bool is_flushed(const struct sc_ucx_pending *p, uint64_t owner, bool is_workers,
		       uint64_t number)
{
	return p->is_remote && p->flight.sequence != SC_NOT_WRITTEN && p->number < number &&
	       (is_workers || p->owner == owner);
}

static bool is_of_worker(const struct sc_ucx_pending *p, uint64_t worker)
{
	return p->flight.sequence != SC_NOT_WRITTEN && (!p->is_workers || p->owner == worker);
}

struct taken {
	struct sc_mpi_flight flight;
	bool is_receive;
};

/* The next one in flight that a flush completes, or, without a number, that ends with a worker. One
 * without a request is nobody's from then on. */
static bool take_next(uint64_t owner, bool is_workers, uint64_t number, struct taken *out)
{
	struct sc_ucx_pending *p = NULL;
	bool is_unlisted = false;

	sc_lock_get(&all.lock);
	for (unsigned i = 0; i < LISTS && !p; i++)
		for (p = all.list[i]; p; p = p->next)
			if (number ? is_flushed(p, owner, is_workers, number)
				   : is_of_worker(p, owner))
				break;
	if (p) {
		*out = (struct taken){take_flight(p), p->is_receive};
		is_unlisted = !p->request;
		if (is_unlisted)
			unlink(p);
	}
	sc_lock_put(&all.lock);
	if (is_unlisted)
		sc_ucx_pending_put(p);
	return p;
}

/* Of which worker an endpoint is, is not known: a flush of a worker counts for all of them. */
void sc_ucx_pending_flushed(uint64_t owner, bool is_workers, uint64_t number)
{
	struct taken taken;

	while (take_next(owner, is_workers, number, &taken))
		sc_mpi_agent_end(taken.flight, SC_AGENT_COMPLETE);
}

void sc_ucx_pending_destroyed(uint64_t worker)
{
	struct taken taken;

	while (take_next(worker, true, 0, &taken))
		sc_mpi_agent_end(taken.flight,
				 taken.is_receive ? SC_AGENT_GIVEN_UP : SC_AGENT_DESTROYED);
}

unsigned sc_ucx_pending_polled(uint64_t *out, unsigned most)
{
	unsigned count = 0;

	if (!atomic_load_explicit(&all.polled, memory_order_relaxed))
		return 0;
	sc_lock_get(&all.lock);
	for (unsigned i = 0; i < LISTS; i++)
		for (const struct sc_ucx_pending *p = all.list[i]; p && count < most; p = p->next)
			if (p->is_polled)
				out[count++] = p->request;
	sc_lock_put(&all.lock);
	return count;
}

bool sc_ucx_pending_is_any(void)
{
	return atomic_load_explicit(&all.count, memory_order_relaxed);
}

const struct sc_module sc_module_ucx = {SC_MODULE_STATE(all)};
