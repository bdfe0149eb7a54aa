/* Transfer requests: tables of parts, each of which is an operation in the trace. */
#include "extensions/agents/nixl/request.h"

#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/slab.h"

#define LISTS	   256
#define ITEMS_MOST SC_MPI_ACCESSES_MOST
/* Blocks of a key-value cache lie as they were free: thousands of them stay exact. */
#define PARTS_MOST 256

struct item {
	struct sc_nixl_run run;
	uint8_t mode;
	bool is_exact; /* else an upper bound */
};

struct part {
	struct part *next;
	struct sc_mpi_flight flight; /* sequence SC_NOT_WRITTEN: none */
	unsigned count;
	struct item item[ITEMS_MOST];
};

struct sc_nixl_request {
	struct sc_nixl_request *next;
	uint64_t handle, agent;
	struct part *first, *last;
	unsigned count; /* of parts */
};

/* Of this process. */
static struct {
	struct sc_lock lock;
	struct sc_nixl_request *list[LISTS]; /* by handle */
} requests;

static struct sc_nixl_request **list_of(uint64_t handle)
{
	return &requests.list[(handle * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
}

struct sc_nixl_request *sc_nixl_request_new(uint64_t handle, uint64_t agent)
{
	struct sc_nixl_request *r = sc_slab_get(SC_SLAB_NIXL_REQUEST, sizeof(*r));

	if (r) {
		r->handle = handle;
		r->agent = agent;
	}
	return r;
}

void sc_nixl_request_free(struct sc_nixl_request *r)
{
	struct part *next;

	for (struct part *p = r->first; p; p = next) {
		next = p->next;
		sc_slab_put(SC_SLAB_NIXL_PART, p);
	}
	sc_slab_put(SC_SLAB_NIXL_REQUEST, r);
}

/* ---- blocks ---- */

static struct part *grow(struct sc_nixl_request *r)
{
	struct part *p = r->count < PARTS_MOST ? sc_slab_get(SC_SLAB_NIXL_PART, sizeof(*p)) : NULL;

	if (!p)
		return NULL;
	p->flight = SC_MPI_NO_FLIGHT;
	if (r->last)
		r->last->next = p;
	else
		r->first = p;
	r->last = p;
	r->count++;
	return p;
}

/* There is no room: the last blocks of that mode grow over these. */
static void widen(struct part *p, const struct sc_nixl_run *run, uint8_t mode)
{
	struct item *i = &p->item[p->count - 1];

	while (i > p->item && i->mode != mode)
		i--;
	i->run = sc_nixl_run_hull(&i->run, run);
	i->mode |= mode;
	i->is_exact = false;
}

void sc_nixl_request_add(struct sc_nixl_request *r, const struct sc_nixl_run *run, uint8_t mode)
{
	struct part *p = r->last;
	struct item *last = p ? &p->item[p->count - 1] : NULL;

	if (!sc_nixl_run_is_valid(run) ||
	    (last && last->mode == mode && last->is_exact && sc_nixl_run_extend(&last->run, run)))
		return;
	if (!p || p->count == ITEMS_MOST)
		p = grow(r);
	if (p)
		p->item[p->count++] = (struct item){.run = *run, .mode = mode, .is_exact = true};
	else if (r->last)
		widen(r->last, run, mode);
}

/* ---- the table ---- */

void sc_nixl_request_keep(struct sc_nixl_request *r)
{
	struct sc_nixl_request *old = sc_nixl_request_take(r->handle), **list = list_of(r->handle);

	if (old) {
		sc_nixl_request_end(old, SC_AGENT_GIVEN_UP);
		sc_nixl_request_free(old);
	}
	sc_lock_get(&requests.lock);
	r->next = *list;
	*list = r;
	sc_lock_put(&requests.lock);
}

struct sc_nixl_request *sc_nixl_request_take(uint64_t handle)
{
	struct sc_nixl_request **link = list_of(handle), *r;

	sc_lock_get(&requests.lock);
	while (*link && (*link)->handle != handle)
		link = &(*link)->next;
	r = *link;
	if (r)
		*link = r->next;
	sc_lock_put(&requests.lock);
	return r;
}

struct sc_nixl_request *sc_nixl_request_take_of(uint64_t agent)
{
	struct sc_nixl_request *r = NULL;

	sc_lock_get(&requests.lock);
	for (unsigned i = 0; i < LISTS && !r; i++) {
		struct sc_nixl_request **link = &requests.list[i];

		while (*link && (*link)->agent != agent)
			link = &(*link)->next;
		r = *link;
		if (r)
			*link = r->next;
	}
	sc_lock_put(&requests.lock);
	return r;
}

/* ---- operations ---- */

static void append(struct sc_mpi_accesses *list, const struct item *i)
{
	bool is_dense = i->run.count == 1 || i->run.pitch == i->run.width;
	struct sc_mpi_pieces piece = {.count = 1, .is_exact = i->is_exact};

	piece.item[0] = (struct sc_mpi_piece){.width = is_dense ? i->run.width * i->run.count
								: i->run.width,
					      .pitch = is_dense ? 0 : i->run.pitch,
					      .rows = is_dense ? 1 : i->run.count,
					      .slices = 1};
	sc_mpi_append_pieces(list, i->run.base, i->mode, &piece);
}

static void begin_part(struct part *p, struct sc_library_function *function)
{
	struct sc_mpi_accesses list = {.count = 0};

	for (unsigned i = 0; i < p->count; i++)
		append(&list, &p->item[i]);
	p->flight =
		sc_mpi_agent_begin_in(&(struct sc_mpi_beginning){.is_kept = true}, function, &list);
}

void sc_nixl_request_begin(struct sc_nixl_request *r, struct sc_library_function *function)
{
	sc_self.busy++;
	for (struct part *p = r->first; p; p = p->next)
		begin_part(p, function);
	sc_self.busy--;
}

bool sc_nixl_request_is_in_flight(const struct sc_nixl_request *r)
{
	for (const struct part *p = r->first; p; p = p->next)
		if (p->flight.sequence != SC_NOT_WRITTEN)
			return true;
	return false;
}

void sc_nixl_request_result(struct sc_nixl_request *r, bool has_failed)
{
	for (struct part *p = r->first; p; p = p->next) {
		sc_mpi_agent_result(p->flight, has_failed);
		if (has_failed)
			p->flight = SC_MPI_NO_FLIGHT;
	}
}

void sc_nixl_request_end(struct sc_nixl_request *r, enum sc_agent_end how)
{
	for (struct part *p = r->first; p; p = p->next) {
		sc_mpi_agent_end(p->flight, how);
		p->flight = SC_MPI_NO_FLIGHT;
	}
}

const struct sc_module sc_module_nixl_requests = {SC_MODULE_STATE(requests)};
