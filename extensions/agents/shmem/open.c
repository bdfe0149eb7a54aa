/* Open operations: one list, since few are open at once. */
#include "extensions/agents/shmem/open.h"

#include <stdatomic.h>
#include <stddef.h>
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/slab.h"

/* An operation that so many other streams waited for counts as complete for its own. */
#define ELSEWHERE_MOST 8
/* Kernels may complete operations unseen, so a program need not do it: of more the oldest one
 * counts as complete. */
#define OPEN_MOST 4096

struct open {
	struct open *next;
	struct sc_mpi_flight flight;
	uint32_t stream, context;
	unsigned elsewhere; /* other streams that waited for it */
};

/* Of this process. One thread at a time completes operations: while it looks at those that it took,
 * nobody else may think that none is open. */
static struct {
	struct sc_lock completing; /* before the other one, and before the guard's */
	struct sc_lock lock;
	atomic_bool is_any; /* they are open, or a thread looks at them */
	unsigned count;
	struct open *first; /* the youngest */
} all;

/* Takes the oldest one out. With the lock held. */
static struct open *take_oldest(void)
{
	struct open **link = &all.first, *o;

	while ((*link)->next)
		link = &(*link)->next;
	o = *link;
	*link = NULL;
	all.count--;
	return o;
}

static void write_end(const struct open *o)
{
	if (o->stream)
		sc_mpi_agent_end_in(o->flight, o->stream, o->context);
	else
		sc_mpi_agent_end(o->flight, SC_AGENT_COMPLETE);
}

static void end(struct open *o)
{
	write_end(o);
	sc_slab_put(SC_SLAB_OPEN, o);
}

static void link_in(struct open *o)
{
	struct open *oldest;

	sc_lock_get(&all.lock);
	o->next = all.first;
	all.first = o;
	oldest = ++all.count > OPEN_MOST ? take_oldest() : NULL;
	atomic_store_explicit(&all.is_any, true, memory_order_relaxed);
	sc_lock_put(&all.lock);
	if (oldest)
		end(oldest);
}

/* One that cannot be kept counts as complete: that is better than one that never ends. */
void sc_shmem_open_add(struct sc_mpi_flight flight, const struct sc_handle *stream)
{
	const struct open given = {.flight = flight,
				   .stream = stream ? stream->id : 0,
				   .context = stream ? stream->context : 0};
	struct open *o = sc_slab_get(SC_SLAB_OPEN, sizeof(*o));

	if (!o) {
		write_end(&given);
		return;
	}
	*o = given;
	link_in(o);
}

/* Those of a stream, or all, as a list of their own, the oldest first. */
static struct open *take(uint32_t stream, bool is_any)
{
	struct open *taken = NULL;

	sc_lock_get(&all.lock);
	for (struct open **link = &all.first; *link;) {
		struct open *o = *link;

		if (!is_any && o->stream != stream) {
			link = &o->next;
			continue;
		}
		*link = o->next;
		o->next = taken;
		taken = o;
		all.count--;
	}
	sc_lock_put(&all.lock);
	return taken;
}

static bool begin_completing(void)
{
	if (!atomic_load_explicit(&all.is_any, memory_order_relaxed))
		return false;
	sc_lock_get(&all.completing);
	return true;
}

static void end_completing(void)
{
	sc_lock_get(&all.lock);
	atomic_store_explicit(&all.is_any, all.first, memory_order_relaxed);
	sc_lock_put(&all.lock);
	sc_lock_put(&all.completing);
}

/* False if another stream than its own waited for it: in which order is not known here. */
static bool is_over(struct open *o, const struct sc_handle *stream)
{
	if (o->stream == stream->id)
		return true;
	sc_mpi_agent_pass(o->flight, stream);
	return ++o->elsewhere == ELSEWHERE_MOST;
}

void sc_shmem_open_complete_in(const struct sc_handle *stream, bool is_any)
{
	struct open *o, *next;

	if (!begin_completing())
		return;
	for (o = take(stream->id, is_any); o; o = next) {
		next = o->next;
		if (is_over(o, stream))
			end(o);
		else
			link_in(o);
	}
	end_completing();
}

void sc_shmem_open_complete(void)
{
	struct open *o, *next;

	if (!begin_completing())
		return;
	for (o = take(0, true); o; o = next) {
		next = o->next;
		sc_mpi_agent_end(o->flight, SC_AGENT_COMPLETE);
		sc_slab_put(SC_SLAB_OPEN, o);
	}
	end_completing();
}

const struct sc_module sc_module_shmem = {SC_MODULE_STATE(all)};
