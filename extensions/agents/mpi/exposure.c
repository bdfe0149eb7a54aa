/* Exposure: memory of a window, while other ranks may use it (B-13).
 *
 * MPI forbids a rank to write to bytes of its window while others use them. One rank does not know
 * which bytes they use, and so an epoch of exposure is one operation that reads the whole window,
 * as an upper bound: what a kernel of this rank writes there meanwhile is possibly wrong.
 *
 * From MPI_Win_post to MPI_Win_wait the program says that others use the window. A fence says less:
 * it ends an epoch and may begin one. There the operation begins once this rank uses a window of
 * others itself, and ends with the next fence. Locks are of the others, and are not seen.
 */
#include <stddef.h>
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/slab.h"
#include "extensions/agents/mpi/message.h"
#include "interposer/object/memory.h"

struct window {
	struct window *next;
	uint64_t handle;
	bool is_fenced; /* the last call that began or ended an epoch was a fence */
	struct sc_mpi_flight flight;
};

/* Of this process. */
static struct {
	struct sc_lock lock;
	struct window *first;
} windows;

static const struct sc_mpi_flight nothing = {.sequence = SC_NOT_WRITTEN};

static uint64_t handle_of(const struct sc_mpi_call *c)
{
	return sc_mpi_handle_at(c->library, &c->of.parameter[c->row->window]);
}

/* With the lock held; NULL: there is none, or no memory for it. */
static struct window *find(uint64_t handle, bool is_made)
{
	struct window *w = windows.first;

	while (w && w->handle != handle)
		w = w->next;
	if (w || !is_made)
		return w;
	w = sc_slab_get(SC_SLAB_WINDOW, sizeof(*w));
	if (!w)
		return NULL;
	*w = (struct window){.next = windows.first, .handle = handle, .flight = nothing};
	windows.first = w;
	return w;
}

static void set_fenced(uint64_t handle, bool is_fenced)
{
	struct window *w;

	sc_lock_get(&windows.lock);
	w = find(handle, is_fenced);
	if (w)
		w->is_fenced = is_fenced;
	sc_lock_put(&windows.lock);
}

bool sc_mpi_exposure_is_fenced(const struct sc_mpi_call *c)
{
	const struct window *w;
	bool is;

	sc_lock_get(&windows.lock);
	w = find(handle_of(c), false);
	is = w && w->is_fenced;
	sc_lock_put(&windows.lock);
	return is;
}

static bool is_open(uint64_t handle)
{
	struct window *w;
	bool is;

	sc_lock_get(&windows.lock);
	w = find(handle, false);
	is = w && w->is_fenced && w->flight.sequence == SC_NOT_WRITTEN;
	sc_lock_put(&windows.lock);
	return is;
}

/* Returns the operation of before: two threads may begin the same epoch. */
static struct sc_mpi_flight exchange(uint64_t handle, struct sc_mpi_flight flight)
{
	struct sc_mpi_flight before = flight;
	struct window *w;

	sc_lock_get(&windows.lock);
	w = find(handle, flight.sequence != SC_NOT_WRITTEN);
	if (w) {
		before = w->flight;
		w->flight = flight;
	}
	sc_lock_put(&windows.lock);
	return before;
}

/* The window's memory, as the library knows it; none of one whose memory is attached later. */
static void describe(const struct sc_mpi_call *c, struct sc_mpi_accesses *out)
{
	const struct sc_mpi_library *l = c->library;
	const int64_t *bytes = NULL;
	void *base = NULL;
	int has_base = 0, has_bytes = 0;

	out->count = 0;
	if (l->window_attribute(handle_of(c), sc_mpi_constant(SC_MPI_WIN_BASE), &base, &has_base) ||
	    l->window_attribute(handle_of(c), sc_mpi_constant(SC_MPI_WIN_SIZE), &bytes,
				&has_bytes) ||
	    !has_base || !has_bytes || !base || !bytes || *bytes <= 0)
		return;
	out->item[0] = sc_memory_access((uint64_t)base, (uint64_t)*bytes, SC_READ);
	out->item[0].known = SC_KNOWN_OVER;
	out->count = 1;
}

static struct sc_mpi_flight begin(const struct sc_mpi_call *c)
{
	struct sc_mpi_accesses list;

	sc_self.busy++;
	describe(c, &list);
	sc_self.busy--;
	return sc_mpi_call_begin(c, &list, NULL);
}

static void keep(const struct sc_mpi_call *c, struct sc_mpi_flight flight)
{
	if (flight.sequence != SC_NOT_WRITTEN)
		sc_mpi_agent_end(exchange(handle_of(c), flight), SC_AGENT_COMPLETE);
}

static void end(uint64_t handle)
{
	sc_mpi_agent_end(exchange(handle, nothing), SC_AGENT_COMPLETE);
}

/* ---- calls ---- */

void sc_mpi_exposure_see_put(const struct sc_mpi_call *c)
{
	struct sc_mpi_flight flight;

	if (!is_open(handle_of(c)))
		return;
	flight = begin(c);
	sc_mpi_agent_result(flight, 0);
	keep(c, flight);
}

int sc_mpi_fence(const struct sc_mpi_call *c, int *error)
{
	int assertions = (int)(uint32_t)c->of.parameter[c->row->index];
	uint64_t handle = handle_of(c);
	int status = sc_mpi_settle(c, error);

	if (status)
		return status;
	end(handle);
	set_fenced(handle, !(assertions & sc_mpi_constant(SC_MPI_MODE_NOSUCCEED)));
	return 0;
}

int sc_mpi_other_epoch(const struct sc_mpi_call *c, int *error)
{
	set_fenced(handle_of(c), false);
	return sc_mpi_go_on(c, error);
}

int sc_mpi_expose(const struct sc_mpi_call *c, int *error)
{
	struct sc_mpi_flight flight = begin(c), message = SC_MPI_NO_FLIGHT;
	int status;

	sc_mpi_message_write(c, &message);
	status = sc_mpi_call_real(c, error);
	set_fenced(handle_of(c), false);
	sc_mpi_agent_result(flight, status);
	sc_mpi_message_result(c->library, &message, status);
	if (!status)
		keep(c, flight);
	return status;
}

/* The window is concealed: what is written of a test is written once that is so. */
int sc_mpi_conceal(const struct sc_mpi_call *c, int *error)
{
	struct sc_mpi_flight message = SC_MPI_NO_FLIGHT;
	int status;

	if (!c->row->flag)
		sc_mpi_message_write(c, &message);
	status = sc_mpi_call_real(c, error);
	if (c->row->flag && (status || !sc_mpi_number(c, c->row->flag, 0)))
		return status;
	if (c->row->flag)
		sc_mpi_message_write(c, &message);
	sc_mpi_message_result(c->library, &message, status);
	if (!status)
		end(handle_of(c));
	return status;
}

/* The handle lies where the parameter points, and the call changes it. */
int sc_mpi_close(const struct sc_mpi_call *c, int *error)
{
	uint64_t handle = sc_mpi_handle_at(c->library, sc_mpi_pointer(c, c->row->request));
	int status = sc_mpi_free_group(c, error);
	struct window **link = &windows.first, *w;

	if (status)
		return status;
	end(handle);
	sc_lock_get(&windows.lock);
	while (*link && (*link)->handle != handle)
		link = &(*link)->next;
	w = *link;
	if (w)
		*link = w->next;
	sc_lock_put(&windows.lock);
	if (w)
		sc_slab_put(SC_SLAB_WINDOW, w);
	return 0;
}

const struct sc_module sc_module_mpi_windows = {SC_MODULE_STATE(windows)};
