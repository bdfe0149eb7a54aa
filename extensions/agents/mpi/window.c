/* One-sided communication: what an operation does to the memory of the process that begins it.
 *
 * It uses that memory until a call settles it: a fence, the end of the epoch, a flush (B-13). The
 * operations of a window are kept as requests, by the window and the other rank. What other ranks
 * do to the memory of a window: exposure.c.
 */
#include <stddef.h>
#include "interposer/core/put.h"
#include "extensions/agents/mpi/operation.h"
#include "trace/agent.h"

/* Not the handle of a request. */
static uint64_t key_of(const struct sc_mpi_call *c)
{
	return (sc_mpi_handle_at(c->library, &c->of.parameter[c->row->window]) ^ UINT64_C(1) << 63);
}

static const void *rank_at(const struct sc_mpi_call *c, unsigned parameter)
{
	return (const void *)((uintptr_t)(uint32_t)c->of.parameter[parameter] + 1);
}

int sc_mpi_put(const struct sc_mpi_call *c, int *error)
{
	unsigned rank =
		c->row->use[c->row->use[SC_MPI_SENT].peer ? SC_MPI_SENT : SC_MPI_RECEIVED].peer;
	struct sc_mpi_flight flight;
	int status;

	sc_mpi_exposure_see_put(c);
	status = sc_mpi_operation_run(c, &flight, error);
	flight.message[0] = 0; /* nobody asks for its end */
	if (!status && flight.sequence != SC_NOT_WRITTEN)
		sc_mpi_request_begun(key_of(c), rank_at(c, rank - 1), flight);
	return status;
}

/* All operations of the window, or those with one rank. */
int sc_mpi_settle(const struct sc_mpi_call *c, int *error)
{
	uint64_t key = key_of(c);
	const void *rank = c->row->way == SC_MPI_SETTLES_ONE ? rank_at(c, c->row->index) : NULL;
	struct sc_mpi_flight flight = SC_MPI_NO_FLIGHT;
	struct sc_mpi_messages messages;
	int status;

	sc_mpi_message_describe(c, &messages);
	sc_mpi_message_begin(&messages, &flight);
	status = sc_mpi_call_real(c, error);
	sc_mpi_message_result(c->library, &flight, status);
	while (!status && sc_mpi_request_take(key, rank, &flight, 1))
		sc_mpi_agent_end(flight, SC_AGENT_COMPLETE);
	return status;
}
