/* MPI: calls of its functions. */
#include "interposer/mpi/mpi.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/mpi/agent.h"
#include "interposer/mpi/caller.h"
#include "trace/agent.h"

#define NOT_THERE    16 /* MPI_ERR_OTHER: 15 or 16, an error in both forms */
#define HANDLES_MOST 64 /* that are kept on the stack */

typedef uint64_t word;

/* A call of the program. */
struct call {
	const struct sc_mpi_library *library;
	const struct sc_mpi_row *row;
	enum sc_library_row number;
	const word *parameter;
	void *real;
};

static int invoke(void *real, unsigned parameters, const word *p)
{
#define REAL(...) ((int (*)(__VA_ARGS__))real)
	switch (parameters) {
	case 0: return REAL(void)();
	case 1: return REAL(word)(p[0]);
	case 2: return REAL(word, word)(p[0], p[1]);
	case 3: return REAL(word, word, word)(p[0], p[1], p[2]);
	case 4: return REAL(word, word, word, word)(p[0], p[1], p[2], p[3]);
	case 5: return REAL(word, word, word, word, word)(p[0], p[1], p[2], p[3], p[4]);
	case 6: return REAL(word, word, word, word, word, word)(p[0], p[1], p[2], p[3], p[4], p[5]);
	case 7:
		return REAL(word, word, word, word, word, word, word)(p[0], p[1], p[2], p[3], p[4],
								      p[5], p[6]);
	case 8:
		return REAL(word, word, word, word, word, word, word, word)(p[0], p[1], p[2], p[3],
									    p[4], p[5], p[6], p[7]);
	case 9:
		return REAL(word, word, word, word, word, word, word, word,
			    word)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]);
	case 10:
		return REAL(word, word, word, word, word, word, word, word, word,
			    word)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9]);
	case 11:
		return REAL(word, word, word, word, word, word, word, word, word, word, word)(
			p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10]);
	default:
		return REAL(word, word, word, word, word, word, word, word, word, word, word, word)(
			p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11]);
	}
#undef REAL
}

/* The real function, which sees the errno of the caller and leaves its own; what it calls is not
 * the program's. */
static int call_real(const struct call *c, int *error)
{
	int status;

	sc_self.depth++;
	errno = *error;
	status = invoke(c->real, c->row->parameters, c->parameter);
	*error = errno;
	sc_self.depth--;
	return status;
}

static void *pointer(const struct call *c, unsigned parameter)
{
	return (void *)(uintptr_t)c->parameter[parameter];
}

/* ---- beginnings ---- */

static struct sc_mpi_flight begin(const struct call *c, const struct sc_mpi_accesses *list)
{
	struct sc_mpi_flight flight;

	sc_self.busy++;
	flight = sc_mpi_agent_begin(c->library, c->number, list, c->row->way != SC_MPI_BLOCKS);
	sc_self.busy--;
	return flight;
}

static void describe(const struct call *c, struct sc_mpi_accesses *out)
{
	sc_self.busy++;
	sc_mpi_describe(c->library, c->row, c->parameter, out);
	sc_self.busy--;
}

static int begin_and_end(const struct call *c, int *error)
{
	struct sc_mpi_accesses list;
	struct sc_mpi_flight flight;
	int status;

	describe(c, &list);
	flight = begin(c, &list);
	status = call_real(c, error);
	sc_mpi_agent_result(flight, status);
	if (!status)
		sc_mpi_agent_end(flight, SC_AGENT_COMPLETE);
	return status;
}

static int begin_request(const struct call *c, int *error)
{
	const void *place = pointer(c, c->row->request);
	struct sc_mpi_accesses list;
	struct sc_mpi_flight flight;
	int status;

	describe(c, &list);
	flight = begin(c, &list);
	status = call_real(c, error);
	sc_mpi_agent_result(flight, status);
	if (!status && flight.sequence != SC_NOT_WRITTEN)
		sc_mpi_request_begun(sc_mpi_handle_at(c->library, place), place, flight);
	return status;
}

static int prepare(const struct call *c, int *error)
{
	const void *place = pointer(c, c->row->request);
	struct sc_mpi_accesses list;
	int status;

	describe(c, &list);
	status = call_real(c, error);
	if (!status)
		sc_mpi_request_prepared(sc_mpi_handle_at(c->library, place), place, &list);
	return status;
}

/* ---- requests ---- */

/* The handles that a call gets, as they were at its entry: it changes them. */
struct handles {
	const struct call *call;
	unsigned count;
	word *handle;
	word kept[HANDLES_MOST];
};

static const void *place_of(const struct handles *h, unsigned i)
{
	return (const char *)pointer(h->call, h->call->row->request) +
	       (size_t)i * (size_t)h->call->library->handle_bytes;
}

/* `is_many`: the parameter `number` says how many. */
static void take_handles(struct handles *h, const struct call *c, bool is_many)
{
	int count = is_many ? (int)(uint32_t)c->parameter[c->row->number] : 1;

	h->call = c;
	h->handle = h->kept;
	if (count > HANDLES_MOST)
		h->handle = sc_raw_map((uint64_t)count * sizeof(word), MAP_PRIVATE);
	h->count = count > 0 && h->handle ? (unsigned)count : 0;
	for (unsigned i = 0; i < h->count; i++)
		h->handle[i] = sc_mpi_handle_at(c->library, place_of(h, i));
}

static void drop_handles(struct handles *h)
{
	if (h->handle && h->handle != h->kept)
		sc_raw_unmap(h->handle, h->count * sizeof(word));
}

static void end_any(word handle, enum sc_agent_end how)
{
	struct sc_mpi_flight flight;

	while (sc_mpi_request_take(handle, NULL, &flight))
		sc_mpi_agent_end(flight, how);
}

static void end(const struct handles *h, unsigned i, enum sc_agent_end how)
{
	struct sc_mpi_flight flight;

	if (i >= h->count)
		return;
	if (sc_mpi_request_take(h->handle[i], place_of(h, i), &flight))
		sc_mpi_agent_end(flight, how);
	else
		end_any(h->handle[i], how);
}

static void end_all(const struct handles *h)
{
	for (unsigned i = 0; i < h->count; i++)
		end(h, i, SC_AGENT_COMPLETE);
}

static int number_in(const struct call *c, unsigned parameter, unsigned i)
{
	const int *list = pointer(c, parameter);

	return list[i];
}

/* The one whose number a call returned. */
static void end_one(const struct handles *h)
{
	int i = number_in(h->call, h->call->row->index, 0);

	if (i >= 0)
		end(h, (unsigned)i, SC_AGENT_COMPLETE);
}

static void end_some(const struct handles *h)
{
	int count = number_in(h->call, h->call->row->flag, 0);

	for (int i = 0; i < count && count != h->call->library->undefined; i++)
		end(h, (unsigned)number_in(h->call, h->call->row->index, (unsigned)i),
		    SC_AGENT_COMPLETE);
}

/* What a successful call showed to be complete. */
static void see_complete(const struct handles *h)
{
	const struct sc_mpi_row *row = h->call->row;

	switch ((enum sc_mpi_way)row->way) {
	case SC_MPI_WAITS:
	case SC_MPI_WAITS_ALL: end_all(h); break;
	case SC_MPI_TESTS:
	case SC_MPI_TESTS_ALL:
		if (number_in(h->call, row->flag, 0))
			end_all(h);
		break;
	case SC_MPI_WAITS_ANY: end_one(h); break;
	case SC_MPI_TESTS_ANY:
		if (number_in(h->call, row->flag, 0))
			end_one(h);
		break;
	case SC_MPI_WAITS_SOME: end_some(h); break;
	default: break;
	}
}

/* After an error it is not known which of them are complete: all count as such. */
static int complete(const struct call *c, int *error)
{
	bool is_one = c->row->way == SC_MPI_WAITS || c->row->way == SC_MPI_TESTS;
	struct handles h;
	int status;

	take_handles(&h, c, !is_one);
	status = call_real(c, error);
	if (status)
		end_all(&h);
	else
		see_complete(&h);
	drop_handles(&h);
	return status;
}

/* The request is passed itself, and where it lies is not known. */
static int ask(const struct call *c, int *error)
{
	word handle = sc_mpi_handle_at(c->library, &c->parameter[c->row->request]);
	int status = call_real(c, error);

	if (!status && number_in(c, c->row->flag, 0))
		end_any(handle, SC_AGENT_COMPLETE);
	return status;
}

static int give_up(const struct call *c, int *error)
{
	struct handles h;
	int status;

	take_handles(&h, c, false);
	status = call_real(c, error);
	if (!status) {
		end(&h, 0, SC_AGENT_GIVEN_UP);
		sc_mpi_request_freed(h.handle[0], place_of(&h, 0));
	}
	drop_handles(&h);
	return status;
}

static void see_started(const struct handles *h, unsigned i, int status)
{
	struct sc_mpi_flight flight;

	if (status && sc_mpi_request_take(h->handle[i], place_of(h, i), &flight))
		sc_mpi_agent_result(flight, status);
	else if (!status && sc_mpi_request_flight(h->handle[i], place_of(h, i), &flight))
		sc_mpi_agent_result(flight, status);
}

/* The operations are written before they start. */
static int start(const struct call *c, int *error)
{
	struct sc_mpi_accesses list;
	struct handles h;
	int status;

	take_handles(&h, c, c->row->way == SC_MPI_STARTS_ALL);
	for (unsigned i = 0; i < h.count; i++)
		if (sc_mpi_request_kept(h.handle[i], place_of(&h, i), &list))
			sc_mpi_request_started(h.handle[i], place_of(&h, i), begin(c, &list));
	status = call_real(c, error);
	for (unsigned i = 0; i < h.count; i++)
		see_started(&h, i, status);
	drop_handles(&h);
	return status;
}

static int leave(const struct call *c, int *error)
{
	sc_mpi_agent_leave();
	return call_real(c, error);
}

/* ---- all of them ---- */

static int follow(const struct call *c, int *error)
{
	switch ((enum sc_mpi_way)c->row->way) {
	case SC_MPI_BLOCKS: return begin_and_end(c, error);
	case SC_MPI_BEGINS: return begin_request(c, error);
	case SC_MPI_PREPARES: return prepare(c, error);
	case SC_MPI_STARTS:
	case SC_MPI_STARTS_ALL: return start(c, error);
	case SC_MPI_WAITS:
	case SC_MPI_WAITS_ALL:
	case SC_MPI_WAITS_ANY:
	case SC_MPI_WAITS_SOME:
	case SC_MPI_TESTS:
	case SC_MPI_TESTS_ALL:
	case SC_MPI_TESTS_ANY: return complete(c, error);
	case SC_MPI_GOES_ON: return call_real(c, error);
	case SC_MPI_ASKS: return ask(c, error);
	case SC_MPI_GIVES_UP: return give_up(c, error);
	case SC_MPI_LEAVES: return leave(c, error);
	}
	return NOT_THERE;
}

static int call(struct call *c, enum sc_library_row real, const void *caller, bool is_followed)
{
	int error = errno, status;

	c->real = sc_library_find(real, caller);
	if (!c->real)
		return NOT_THERE;
	if (is_followed && sc_session_is_live() && !sc_self.busy && !sc_self.depth)
		c->library = sc_mpi_library_of(c->real);
	if (!c->library)
		return invoke(c->real, c->row->parameters, c->parameter);
	status = follow(c, &error);
	errno = error;
	return status;
}

int sc_mpi_call(enum sc_library_row row, const uint64_t *parameter, const void *caller)
{
	struct call c = {.row = sc_mpi_row(row), .number = row, .parameter = parameter};

	return call(&c, row, caller, true);
}

int sc_mpi_call_other(enum sc_library_row row, const uint64_t *parameter, const void *caller)
{
	struct call c = {.row = sc_mpi_row(row), .number = row, .parameter = parameter};
	enum sc_library_row other = row - SC_LIBRARY_FIRST_MPI_ROW + SC_LIBRARY_FIRST_PMPI_ROW;

	return call(&c, other, caller, !sc_self.depth && !sc_mpi_caller_is_library(caller));
}
