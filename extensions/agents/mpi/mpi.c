/* MPI: what each way of mpi.def does. */
#include "extensions/agents/mpi/mpi.h"

#include <errno.h>
#include <stdbool.h>
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "extensions/agents/mpi/call.h"
#include "extensions/agents/mpi/caller.h"
#include "extensions/agents/mpi/operation.h"
#include "trace/agent.h"

#define NOT_THERE 16 /* MPI_ERR_OTHER: 15 or 16, an error in both forms */

static int begin_and_end(const struct sc_mpi_call *c, int *error)
{
	struct sc_mpi_flight flight;
	int status = sc_mpi_operation_run(c, &flight, error);

	if (sc_mpi_message_is_done(c->library, status))
		sc_mpi_operation_returned(c, flight);
	return status;
}

static int begin_request(const struct sc_mpi_call *c, int *error)
{
	const void *place = sc_mpi_pointer(c, c->row->request);
	struct sc_mpi_flight flight;
	int status = sc_mpi_operation_run(c, &flight, error);

	if (!status && sc_mpi_flight_is(&flight))
		sc_mpi_request_begun(sc_mpi_handle_at(c->library, place), place, flight);
	return status;
}

static int prepare(const struct sc_mpi_call *c, int *error)
{
	const void *place = sc_mpi_pointer(c, c->row->request);
	struct sc_mpi_flight flight = SC_MPI_NO_FLIGHT;
	struct sc_mpi_messages messages;
	struct sc_mpi_accesses list;
	int status;

	sc_mpi_call_describe(c, &list);
	sc_mpi_message_describe(c, &messages);
	if (c->row->group) /* processes meet in this call, and not where it is started */
		sc_mpi_message_begin(&messages, &flight);
	status = sc_mpi_call_real(c, error);
	sc_mpi_message_result(c->library, &flight, status);
	messages.count = c->row->group ? 0 : messages.count;
	if (!status)
		sc_mpi_request_prepared(sc_mpi_handle_at(c->library, place), place, &list,
					&messages);
	return status;
}

static int leave(const struct sc_mpi_call *c, int *error)
{
	uint64_t message = sc_mpi_message_leave(c);
	int status;

	sc_mpi_detached();
	sc_mpi_agent_leave();
	status = sc_mpi_call_real(c, error);
	sc_mpi_message_over(message, status);
	return status;
}

/* ---- all of them ---- */

static int go(const struct sc_mpi_call *c, int *error)
{
	switch ((enum sc_mpi_way)c->row->way) {
	case SC_MPI_BLOCKS: return begin_and_end(c, error);
	case SC_MPI_BEGINS: return begin_request(c, error);
	case SC_MPI_PREPARES: return prepare(c, error);
	case SC_MPI_STARTS:
	case SC_MPI_STARTS_ALL: return sc_mpi_start(c, error);
	case SC_MPI_WAITS:
	case SC_MPI_WAITS_ALL:
	case SC_MPI_WAITS_ANY:
	case SC_MPI_WAITS_SOME:
	case SC_MPI_TESTS:
	case SC_MPI_TESTS_ALL:
	case SC_MPI_TESTS_ANY: return sc_mpi_complete(c, error);
	case SC_MPI_PUTS: return sc_mpi_put(c, error);
	case SC_MPI_SETTLES:
	case SC_MPI_SETTLES_ONE: return sc_mpi_settle(c, error);
	case SC_MPI_FENCES: return sc_mpi_fence(c, error);
	case SC_MPI_UNFENCES: return sc_mpi_other_epoch(c, error);
	case SC_MPI_EXPOSES: return sc_mpi_expose(c, error);
	case SC_MPI_CONCEALS: return sc_mpi_conceal(c, error);
	case SC_MPI_CLOSES: return sc_mpi_close(c, error);
	case SC_MPI_ATTACHES: return sc_mpi_attach(c, error);
	case SC_MPI_DETACHES: return sc_mpi_detach(c, error);
	case SC_MPI_DIVIDES: return sc_mpi_divide(c, error);
	case SC_MPI_READIES:
	case SC_MPI_READIES_RANGE:
	case SC_MPI_READIES_LIST: return sc_mpi_ready(c, error);
	case SC_MPI_ARRIVES: return sc_mpi_arrive(c, error);
	case SC_MPI_GOES_ON: return sc_mpi_go_on(c, error);
	case SC_MPI_MAKES:
	case SC_MPI_MAKES_WINDOW: return sc_mpi_make_group(c, error);
	case SC_MPI_FREES: return sc_mpi_free_group(c, error);
	case SC_MPI_CANCELS: return sc_mpi_cancel(c, error);
	case SC_MPI_ASKS: return sc_mpi_ask(c, error);
	case SC_MPI_GIVES_UP: return sc_mpi_give_up(c, error);
	case SC_MPI_LEAVES: return leave(c, error);
	}
	return NOT_THERE;
}

static uint64_t follow(const struct sc_followed *of, int *error)
{
	return (uint64_t)go((const struct sc_mpi_call *)of, error);
}

/* Before anything is recorded, only which groups there are is of interest. */
static uint64_t miss(const struct sc_followed *of, int *error)
{
	const struct sc_mpi_call *c = (const struct sc_mpi_call *)of;

	switch ((enum sc_mpi_way)c->row->way) {
	case SC_MPI_MAKES:
	case SC_MPI_MAKES_WINDOW: return (uint64_t)sc_mpi_make_group(c, error);
	case SC_MPI_FREES:
	case SC_MPI_CLOSES: return (uint64_t)sc_mpi_free_group(c, error);
	default: sc_mpi_message_miss(c); return sc_followed_run(of, error);
	}
}

static sc_followed_way *choose(struct sc_followed *of)
{
	struct sc_mpi_call *c = (struct sc_mpi_call *)of;

	if (sc_thread_is_inside(of->frame))
		return NULL;
	c->library = sc_mpi_library_of(of->real);
	if (!c->library)
		return NULL;
	return sc_session_is_live() ? follow : miss;
}

static sc_followed_way *choose_other(struct sc_followed *of)
{
	return sc_thread_is_inside(of->frame) || sc_mpi_caller_is_library(sc_followed_caller(of))
		       ? NULL
		       : choose(of);
}

static struct sc_mpi_call begin(struct sc_library_function *function,
				struct sc_library_function *by, uint64_t *parameter,
				const void *frame)
{
	const struct sc_mpi_row *row = sc_mpi_row(function);

	return (struct sc_mpi_call){
		.of = {function, by, row->parameters, parameter, frame, NULL, NULL}, .row = row};
}

int sc_mpi_call(struct sc_library_function *function, uint64_t *parameter, const void *frame)
{
	struct sc_mpi_call c = begin(function, function, parameter, frame);

	return (int)sc_followed_call(&c.of, choose, NOT_THERE);
}

int sc_mpi_call_other(struct sc_library_function *function, uint64_t *parameter, const void *frame)
{
	struct sc_library_function *other = sc_pmpi_table.list + (function - sc_mpi_table.list);
	struct sc_mpi_call c = begin(function, other, parameter, frame);

	return (int)sc_followed_call(&c.of, choose_other, NOT_THERE);
}
