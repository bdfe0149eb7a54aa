/* Partitions: requests of MPI_Psend_init and MPI_Precv_init (B-8, B-9).
 *
 * A partition of a send is read from MPI_Pready on, and not before, whenever the request was
 * started; one of a receive is written from the start on, until MPI_Parrived shows that it is
 * there. All end with their request. So each partition, or each call that makes some of them ready,
 * is an operation of its own.
 *
 * They match others of their kind only (MPI 4.1, 4.2.1), so that nothing is written of their
 * messages: what is said of other messages stays true.
 *
 * A handle stands for one such request until it is freed: they are persistent.
 */
#include <stdatomic.h>
#include <stddef.h>
#include "interposer/core/arena.h"
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "extensions/agents/mpi/call.h"

#define PARTITIONS_MOST 65536 /* requests of more are not followed, which the trace says */

struct divided {
	struct divided *next;
	uint64_t handle;
	uint64_t mapped_bytes;
	uint8_t mode; /* SC_READ: a send */
	uint64_t base;
	int64_t step;		    /* bytes from one partition to the next */
	struct sc_mpi_pieces piece; /* of one partition; none: no other rank takes part */
	unsigned count;
	struct sc_mpi_flight flight[]; /* threads make different ones ready at the same time */
};

/* Of this process. */
static struct {
	struct sc_lock lock;
	struct divided *_Atomic first;
} all;

/* Nobody frees a request that another thread uses, so the result stays good. */
static struct divided *find(uint64_t handle)
{
	struct divided *d;

	if (!atomic_load_explicit(&all.first, memory_order_relaxed))
		return NULL;
	sc_lock_get(&all.lock);
	d = all.first;
	while (d && d->handle != handle)
		d = d->next;
	sc_lock_put(&all.lock);
	return d;
}

bool sc_mpi_partitions_are(uint64_t handle)
{
	return find(handle);
}

/* ---- what a partition is ---- */

static const struct sc_mpi_use *use_of(const struct sc_mpi_row *row)
{
	return &row->use[row->use[SC_MPI_SENT].shape ? SC_MPI_SENT : SC_MPI_RECEIVED];
}

static bool find_pieces(const struct sc_mpi_call *c, struct divided *d)
{
	const struct sc_mpi_use *use = use_of(c->row);
	uint64_t type = c->of.parameter[use->type], count = c->of.parameter[use->count];
	int64_t extent;
	bool is_found;

	if ((int)(uint32_t)c->of.parameter[use->peer - 1] == c->library->proc_null || !count)
		return false;
	sc_self.busy++;
	is_found = sc_mpi_extent_of(c->library, type, &extent) &&
		   sc_mpi_pieces_of(c->library, type, count, &d->piece);
	sc_self.busy--;
	d->step = is_found ? extent * (int64_t)count : 0;
	return is_found;
}

static struct divided *new_divided(const struct sc_mpi_call *c)
{
	const struct sc_mpi_use *use = use_of(c->row);
	int count = (int)(uint32_t)c->of.parameter[c->row->number];
	unsigned flights = count <= 0 || count > PARTITIONS_MOST ? 0 : (unsigned)count;
	uint64_t bytes = sizeof(struct divided) + flights * sizeof(struct sc_mpi_flight);
	struct divided *d = flights ? sc_arena_map(bytes, MAP_PRIVATE) : NULL;

	if (!d && count > 0)
		sc_put_source("a request of MPI with so many partitions", false);
	if (!d)
		return NULL;
	d->mapped_bytes = bytes;
	d->mode = use->mode;
	d->base = c->of.parameter[use->at];
	d->count = flights;
	for (unsigned i = 0; i < flights; i++)
		d->flight[i].sequence = SC_NOT_WRITTEN;
	if (!find_pieces(c, d))
		d->piece.count = 0;
	return d;
}

static void append(const struct divided *d, unsigned i, struct sc_mpi_accesses *list)
{
	sc_self.busy++;
	if (i < d->count)
		sc_mpi_append_pieces(list, d->base + (uint64_t)(d->step * (int64_t)i), d->mode,
				     &d->piece);
	sc_self.busy--;
}

/* ---- requests ---- */

int sc_mpi_divide(const struct sc_mpi_call *c, int *error)
{
	struct divided *d = new_divided(c);
	int status = sc_mpi_call_real(c, error);

	if (!d)
		return status;
	if (status) {
		sc_raw_unmap(d, d->mapped_bytes);
		return status;
	}
	d->handle = sc_mpi_handle_at(c->library, sc_mpi_pointer(c, c->row->request));
	sc_lock_get(&all.lock);
	d->next = all.first;
	all.first = d;
	sc_lock_put(&all.lock);
	return 0;
}

static void begin_one(const struct sc_mpi_call *c, struct divided *d, unsigned i)
{
	struct sc_mpi_accesses list = {0};

	append(d, i, &list);
	d->flight[i] = sc_mpi_call_begin(c, &list, NULL);
}

void sc_mpi_partitions_start(const struct sc_mpi_call *c, uint64_t handle)
{
	struct divided *d = find(handle);

	if (!d || d->mode == SC_READ)
		return;
	for (unsigned i = 0; i < d->count; i++)
		begin_one(c, d, i);
}

void sc_mpi_partitions_started(uint64_t handle, int status)
{
	struct divided *d = find(handle);

	for (unsigned i = 0; d && i < d->count; i++) {
		sc_mpi_agent_result(d->flight[i], status);
		if (status)
			d->flight[i].sequence = SC_NOT_WRITTEN;
	}
}

static void end_one(struct divided *d, unsigned i, enum sc_agent_end how)
{
	sc_mpi_agent_end(d->flight[i], how);
	d->flight[i].sequence = SC_NOT_WRITTEN;
}

void sc_mpi_partitions_end(uint64_t handle, enum sc_agent_end how)
{
	struct divided *d = find(handle);

	for (unsigned i = 0; d && i < d->count; i++)
		end_one(d, i, how);
}

void sc_mpi_partitions_forget(uint64_t handle)
{
	struct divided *d = find(handle), *before;

	if (!d)
		return;
	sc_lock_get(&all.lock);
	before = all.first;
	while (before != d && before->next != d)
		before = before->next;
	if (before == d)
		all.first = d->next;
	else
		before->next = d->next;
	sc_lock_put(&all.lock);
	sc_raw_unmap(d, d->mapped_bytes);
}

/* ---- partitions ---- */

static int number_at(const struct sc_mpi_call *c, unsigned parameter)
{
	return (int)(uint32_t)c->of.parameter[parameter];
}

/* What the call makes ready; returns the first of them. */
static unsigned append_ready(const struct sc_mpi_call *c, const struct divided *d,
			     struct sc_mpi_accesses *list)
{
	int first = number_at(c, c->row->index), last = first;

	if (c->row->way == SC_MPI_READIES_LIST) {
		int count = number_at(c, c->row->number);

		for (int i = 0; i < count; i++)
			append(d, (unsigned)sc_mpi_number(c, c->row->index, (unsigned)i), list);
		return count > 0 ? (unsigned)sc_mpi_number(c, c->row->index, 0) : 0;
	}
	if (c->row->way == SC_MPI_READIES_RANGE)
		last = number_at(c, c->row->index + 1U);
	for (int i = first; i <= last && (unsigned)i < d->count; i++)
		append(d, (unsigned)i, list);
	return (unsigned)first;
}

int sc_mpi_ready(const struct sc_mpi_call *c, int *error)
{
	struct divided *d = find(sc_mpi_handle_at(c->library, &c->of.parameter[c->row->request]));
	struct sc_mpi_accesses list = {0};
	struct sc_mpi_flight flight;
	unsigned first;
	int status;

	if (!d || d->mode != SC_READ)
		return sc_mpi_call_real(c, error);
	first = append_ready(c, d, &list);
	flight = sc_mpi_call_begin(c, &list, NULL);
	status = sc_mpi_call_real(c, error);
	sc_mpi_agent_result(flight, status);
	if (!status && first < d->count)
		d->flight[first] = flight;
	return status;
}

int sc_mpi_arrive(const struct sc_mpi_call *c, int *error)
{
	struct divided *d = find(sc_mpi_handle_at(c->library, &c->of.parameter[c->row->request]));
	unsigned i = (unsigned)number_at(c, c->row->index);
	int status = sc_mpi_call_real(c, error);

	if (!status && d && d->mode != SC_READ && i < d->count && sc_mpi_number(c, c->row->flag, 0))
		end_one(d, i, SC_AGENT_COMPLETE);
	return status;
}

const struct sc_module sc_module_mpi_partitions = {SC_MODULE_STATE(all)};
