/* Calls that get requests: completion, starts, and requests that are freed. */
#include <stdbool.h>
#include "interposer/core/arena.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "extensions/agents/mpi/operation.h"
#include "trace/agent.h"

#define HANDLES_MOST 64 /* that are kept on the stack */

typedef uint64_t word;

/* The handles that a call gets, as they were at its entry: it changes them. */
struct handles {
	const struct sc_mpi_call *call;
	unsigned count;
	word *handle;
	struct sc_mpi_ends ends; /* to be written */
	word kept[HANDLES_MOST];
};

static const void *place_of(const struct handles *h, unsigned i)
{
	return (const char *)sc_mpi_pointer(h->call, h->call->row->request) +
	       (size_t)i * (size_t)h->call->library->handle_bytes;
}

/* `is_many`: the parameter `number` says how many. */
static void take_handles(struct handles *h, const struct sc_mpi_call *c, bool is_many)
{
	int count = is_many ? (int)(uint32_t)c->of.parameter[c->row->number] : 1;

	h->call = c;
	h->ends.count = 0;
	h->handle = h->kept;
	if (count > HANDLES_MOST)
		h->handle = sc_arena_map((uint64_t)count * sizeof(word), MAP_PRIVATE);
	h->count = count > 0 && h->handle ? (unsigned)count : 0;
	for (unsigned i = 0; i < h->count; i++)
		h->handle[i] = sc_mpi_handle_at(c->library, place_of(h, i));
}

static void drop_handles(struct handles *h)
{
	sc_mpi_ends_put(&h->ends);
	if (h->handle && h->handle != h->kept)
		sc_raw_unmap(h->handle, h->count * sizeof(word));
}

#define TAKEN 4 /* at a time: there is seldom more than one */

static bool end_those(const struct sc_mpi_call *c, word handle, const void *place,
		      enum sc_agent_end how, const void *status, struct sc_mpi_ends *ends)
{
	struct sc_mpi_flight flight[TAKEN];
	bool is_any = false;
	unsigned count;

	do {
		count = sc_mpi_request_take(handle, place, flight, TAKEN);
		for (unsigned i = 0; i < count; i++, is_any = true)
			sc_mpi_operation_end(c, &flight[i], how, is_any ? NULL : status, ends);
	} while (count == TAKEN);
	return is_any;
}

/* A program, and the Fortran bindings of Open MPI, may use one place for several requests in turn:
 * those of one handle cannot be distinguished, so all of them end. */
static void end(struct handles *h, unsigned i, enum sc_agent_end how, const void *status)
{
	if (i >= h->count)
		return;
	sc_mpi_partitions_end(h->handle[i], how);
	if (!end_those(h->call, h->handle[i], place_of(h, i), how, status, &h->ends))
		end_those(h->call, h->handle[i], NULL, how, status, &h->ends);
}

static void end_all(struct handles *h, bool has_status)
{
	for (unsigned i = 0; i < h->count; i++)
		end(h, i, SC_AGENT_COMPLETE, has_status ? sc_mpi_message_status(h->call, i) : NULL);
}

/* The one whose number a call returned. */
static void end_one(struct handles *h)
{
	int i = sc_mpi_number(h->call, h->call->row->index, 0);

	if (i >= 0)
		end(h, (unsigned)i, SC_AGENT_COMPLETE, sc_mpi_message_status(h->call, 0));
}

static void end_some(struct handles *h)
{
	int count = sc_mpi_number(h->call, h->call->row->flag, 0);

	for (int i = 0; i < count && count != h->call->library->undefined; i++)
		end(h, (unsigned)sc_mpi_number(h->call, h->call->row->index, (unsigned)i),
		    SC_AGENT_COMPLETE, sc_mpi_message_status(h->call, (unsigned)i));
}

/* What a successful call showed to be complete. */
static void see_complete(struct handles *h)
{
	const struct sc_mpi_row *row = h->call->row;

	switch ((enum sc_mpi_way)row->way) {
	case SC_MPI_WAITS:
	case SC_MPI_WAITS_ALL: end_all(h, true); break;
	case SC_MPI_TESTS:
	case SC_MPI_TESTS_ALL:
		if (sc_mpi_number(h->call, row->flag, 0))
			end_all(h, true);
		break;
	case SC_MPI_WAITS_ANY: end_one(h); break;
	case SC_MPI_TESTS_ANY:
		if (sc_mpi_number(h->call, row->flag, 0))
			end_one(h);
		break;
	case SC_MPI_WAITS_SOME: end_some(h); break;
	default: break;
	}
}

/* How many of the requests have partitions. */
static unsigned divided(const struct handles *h)
{
	unsigned count = 0;

	for (unsigned i = 0; i < h->count; i++)
		count += sc_mpi_partitions_are(h->handle[i]);
	return count;
}

/* What a call that waits is about to wait for. Nothing is known of requests whose messages are not
 * written; where one of them may be enough, or all are such, they count as well. */
static uint64_t begin_wait(const struct handles *h)
{
	const struct sc_mpi_row *row = h->call->row;
	bool is_any = row->way == SC_MPI_WAITS_ANY || row->way == SC_MPI_WAITS_SOME;
	struct sc_mpi_looked looked;
	unsigned count;

	if (row->polls || !(is_any || row->way == SC_MPI_WAITS || row->way == SC_MPI_WAITS_ALL))
		return SC_NOT_WRITTEN;
	looked = sc_mpi_request_look(h->handle, h->count, place_of(h, 0),
				     (size_t)h->call->library->handle_bytes);
	count = looked.messages;
	if (is_any || !count)
		count += looked.others + divided(h);
	return count ? sc_mpi_message_wait(h->call, looked.first, count, is_any) : SC_NOT_WRITTEN;
}

/* After an error it is not known which of them are complete: all count as such. */
int sc_mpi_complete(const struct sc_mpi_call *c, int *error)
{
	bool is_one = c->row->way == SC_MPI_WAITS || c->row->way == SC_MPI_TESTS;
	struct handles h;
	uint64_t message;
	int status;

	take_handles(&h, c, !is_one);
	message = begin_wait(&h);
	status = sc_mpi_call_real(c, error);
	sc_mpi_message_over(message, status);
	if (status)
		end_all(&h, is_one && sc_mpi_message_is_done(c->library, status));
	else
		see_complete(&h);
	drop_handles(&h);
	return status;
}

/* The request is passed itself, and where it lies is not known. */
int sc_mpi_ask(const struct sc_mpi_call *c, int *error)
{
	word handle = sc_mpi_handle_at(c->library, &c->of.parameter[c->row->request]);
	struct sc_mpi_ends ends = {.count = 0};
	int status = sc_mpi_call_real(c, error);

	if (!status && sc_mpi_number(c, c->row->flag, 0)) {
		sc_mpi_partitions_end(handle, SC_AGENT_COMPLETE);
		end_those(c, handle, NULL, SC_AGENT_COMPLETE, NULL, &ends);
		sc_mpi_ends_put(&ends);
	}
	return status;
}

int sc_mpi_give_up(const struct sc_mpi_call *c, int *error)
{
	struct handles h;
	int status;

	take_handles(&h, c, false);
	status = sc_mpi_call_real(c, error);
	if (!status) {
		end(&h, 0, SC_AGENT_GIVEN_UP, NULL);
		sc_mpi_partitions_forget(h.handle[0]);
		sc_mpi_request_freed(h.handle[0], place_of(&h, 0));
	}
	drop_handles(&h);
	return status;
}

static void see_started(const struct handles *h, unsigned i, int status)
{
	struct sc_mpi_flight flight;

	sc_mpi_partitions_started(h->handle[i], status);
	if (status && sc_mpi_request_take(h->handle[i], place_of(h, i), &flight, 1))
		sc_mpi_operation_result(h->call, flight, status);
	else if (!status && sc_mpi_request_flight(h->handle[i], place_of(h, i), &flight))
		sc_mpi_operation_result(h->call, flight, status);
}

/* The operations are written before they start. */
int sc_mpi_start(const struct sc_mpi_call *c, int *error)
{
	struct sc_mpi_messages messages;
	struct sc_mpi_accesses list;
	struct handles h;
	int status;

	take_handles(&h, c, c->row->way == SC_MPI_STARTS_ALL);
	for (unsigned i = 0; i < h.count; i++) {
		sc_mpi_partitions_start(c, h.handle[i]);
		if (sc_mpi_request_kept(h.handle[i], place_of(&h, i), &list, &messages))
			sc_mpi_request_started(h.handle[i], place_of(&h, i),
					       sc_mpi_operation_begin(c, &list, &messages));
	}
	status = sc_mpi_call_real(c, error);
	for (unsigned i = 0; i < h.count; i++)
		see_started(&h, i, status);
	drop_handles(&h);
	return status;
}
