/* Requests: a table of lists, by handle. */
#include "extensions/agents/mpi/request.h"

#include <string.h>
#include "interposer/core/arena.h"
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "interposer/core/slab.h"

#define LISTS	  1024
#define KEPT_MOST 4 /* accesses of an entry without memory of its own */

struct request {
	struct request *next;
	uint64_t handle;
	const void *place;
	struct sc_mpi_flight flight;	 /* sequence SC_NOT_WRITTEN: none */
	bool is_persistent;		 /* it stays when its operation is complete */
	struct sc_mpi_messages messages; /* the same, of which the first is there */
	uint32_t count;			 /* of accesses, if it is persistent */
	struct sc_access *more;		 /* owned: the accesses; NULL: they are in `kept` */
	struct sc_access kept[KEPT_MOST];
};

/* Of this process. */
static struct {
	struct sc_lock lock;
	struct request *spare;	     /* to be used again */
	struct request *list[LISTS]; /* by handle */
} requests;

bool sc_mpi_flight_is(const struct sc_mpi_flight *flight)
{
	return flight->sequence != SC_NOT_WRITTEN || flight->message[0];
}

static struct request **list_of(uint64_t handle)
{
	return &requests.list[(handle * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
}

/* With the lock held. */
static void link_in(struct request *r)
{
	struct request **list = list_of(r->handle);

	r->next = *list;
	*list = r;
}

static void add(struct request *r)
{
	sc_lock_get(&requests.lock);
	link_in(r);
	sc_lock_put(&requests.lock);
}

/* With the lock held: one that was used before, or NULL. */
static struct request *take_spare(void)
{
	struct request *r = requests.spare;

	if (r)
		requests.spare = r->next;
	return r;
}

/* Of one that cannot be started, the rest is not looked at. */
static void fill(struct request *r, uint64_t handle, const void *place, struct sc_mpi_flight flight)
{
	r->handle = handle;
	r->place = place;
	r->flight = flight;
	r->is_persistent = false;
	r->more = NULL;
}

enum wanted { ANY, IN_FLIGHT, TO_START };

static bool is_wanted(const struct request *r, enum wanted what)
{
	bool is_in_flight = sc_mpi_flight_is(&r->flight);

	switch (what) {
	case ANY: break;
	case IN_FLIGHT: return is_in_flight;
	case TO_START: return r->is_persistent && !is_in_flight;
	}
	return true;
}

/* With the lock held: the link to an entry of the handle, of that place if it has one there. */
static struct request **find(uint64_t handle, const void *place, enum wanted what)
{
	struct request **found = NULL;
	bool has_place = false;

	for (struct request **link = list_of(handle); *link; link = &(*link)->next) {
		bool is_there = (*link)->place == place;

		if ((*link)->handle != handle)
			continue;
		if (is_wanted(*link, what) && (!found || (is_there && (*found)->place != place)))
			found = link;
		has_place |= is_there;
	}
	return found && (!has_place || (*found)->place == place) ? found : NULL;
}

/* With the lock held. */
static void forget(struct request **link)
{
	struct request *r = *link;

	*link = r->next;
	if (r->more)
		sc_raw_unmap(r->more, r->count * sizeof(*r->more));
	r->next = requests.spare;
	requests.spare = r;
}

void sc_mpi_request_begun(uint64_t handle, const void *place, struct sc_mpi_flight flight)
{
	struct request *r;

	sc_lock_get(&requests.lock);
	r = take_spare();
	if (r) {
		fill(r, handle, place, flight);
		link_in(r);
	}
	sc_lock_put(&requests.lock);
	if (r)
		return;
	r = sc_slab_get(SC_SLAB_REQUEST, sizeof(*r));
	if (!r)
		return;
	fill(r, handle, place, flight);
	add(r);
}

void sc_mpi_request_prepared(uint64_t handle, const void *place, const struct sc_mpi_accesses *list,
			     const struct sc_mpi_messages *messages)
{
	struct request *r = sc_slab_get(SC_SLAB_REQUEST, sizeof(*r));
	struct sc_access *to;

	if (!r)
		return;
	fill(r, handle, place, SC_MPI_NO_FLIGHT);
	if (list->count > KEPT_MOST)
		r->more = sc_arena_map(list->count * sizeof(*to), MAP_PRIVATE);
	to = list->count > KEPT_MOST ? r->more : r->kept;
	r->count = to ? list->count : 0;
	for (uint32_t i = 0; i < r->count; i++)
		to[i] = list->item[i];
	r->messages = *messages;
	r->is_persistent = true;
	add(r);
}

bool sc_mpi_request_kept(uint64_t handle, const void *place, struct sc_mpi_accesses *out,
			 struct sc_mpi_messages *messages)
{
	struct request **link;

	sc_lock_get(&requests.lock);
	link = find(handle, place, TO_START);
	out->count = link ? (*link)->count : 0;
	messages->count = 0;
	if (link)
		*messages = (*link)->messages;
	if (link)
		memcpy(out->item, (*link)->more ? (*link)->more : (*link)->kept,
		       out->count * sizeof(*out->item));
	sc_lock_put(&requests.lock);
	return link;
}

void sc_mpi_request_started(uint64_t handle, const void *place, struct sc_mpi_flight flight)
{
	struct request **link;

	sc_lock_get(&requests.lock);
	link = find(handle, place, TO_START);
	if (link)
		(*link)->flight = flight;
	sc_lock_put(&requests.lock);
}

bool sc_mpi_request_flight(uint64_t handle, const void *place, struct sc_mpi_flight *out)
{
	struct request **link;

	sc_lock_get(&requests.lock);
	link = find(handle, place, IN_FLIGHT);
	if (link)
		*out = (*link)->flight;
	sc_lock_put(&requests.lock);
	return link;
}

struct sc_mpi_looked sc_mpi_request_look(const uint64_t *handle, unsigned count, const void *place,
					 size_t step)
{
	struct sc_mpi_looked looked = {0};

	sc_lock_get(&requests.lock);
	for (unsigned i = 0; i < count; i++) {
		struct request **link = find(handle[i], (const char *)place + i * step, IN_FLIGHT);
		uint64_t message = link ? (*link)->flight.message[0] : 0;

		looked.messages += message != 0;
		looked.others += link && !message;
		if (!looked.first)
			looked.first = message;
	}
	sc_lock_put(&requests.lock);
	return looked;
}

/* With the lock held: its operation ends. */
static struct sc_mpi_flight take(struct request **link)
{
	struct sc_mpi_flight flight = (*link)->flight;

	(*link)->flight = SC_MPI_NO_FLIGHT;
	if (!(*link)->is_persistent)
		forget(link);
	return flight;
}

/* With the lock held: those of the handle, in this place or in any (NULL), the youngest first. */
static unsigned take_those(uint64_t handle, const void *place, struct sc_mpi_flight *out,
			   unsigned most)
{
	struct request **link = list_of(handle);
	unsigned count = 0;

	while (*link && count < most) {
		struct request *r = *link;

		if (r->handle == handle && (!place || r->place == place) &&
		    sc_mpi_flight_is(&r->flight))
			out[count++] = take(link);
		if (*link == r)
			link = &r->next;
	}
	return count;
}

unsigned sc_mpi_request_take(uint64_t handle, const void *place, struct sc_mpi_flight *out,
			     unsigned most)
{
	unsigned count;

	sc_lock_get(&requests.lock);
	count = take_those(handle, place, out, most);
	sc_lock_put(&requests.lock);
	return count;
}

void sc_mpi_request_freed(uint64_t handle, const void *place)
{
	struct request **link;

	sc_lock_get(&requests.lock);
	link = find(handle, place, ANY);
	if (link)
		forget(link);
	sc_lock_put(&requests.lock);
}

const struct sc_module sc_module_mpi = {SC_MODULE_STATE(requests)};
