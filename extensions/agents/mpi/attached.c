/* Attached buffers: memory that the program lends to MPI for messages that it buffers (B-10).
 *
 * Which part of it a message takes is MPI's affair, so it is one operation from MPI_Buffer_attach
 * to MPI_Buffer_detach, which waits for the messages, with an upper bound.
 */
#include <stddef.h>
#include "interposer/core/put.h"
#include "extensions/agents/mpi/call.h"
#include "interposer/object/memory.h"

/* Kept as a request that nobody has a handle of. */
#define HANDLE (UINT64_C(1) << 62)

static void describe(const struct sc_mpi_call *c, struct sc_mpi_accesses *out)
{
	uint64_t at = c->of.parameter[c->row->index], given = c->of.parameter[c->row->number];
	int64_t bytes = c->row->is_wide ? (int64_t)given : (int32_t)(uint32_t)given;

	out->count = 0;
	if (!at || bytes <= 0)
		return;
	out->item[0] = sc_memory_access(at, (uint64_t)bytes, SC_READ_WRITE);
	out->item[0].known = SC_KNOWN_OVER;
	out->count = 1;
}

int sc_mpi_attach(const struct sc_mpi_call *c, int *error)
{
	struct sc_mpi_accesses list;
	struct sc_mpi_flight flight;
	int status;

	sc_self.busy++;
	describe(c, &list);
	sc_self.busy--;
	flight = sc_mpi_call_begin(c, &list, NULL);
	status = sc_mpi_call_real(c, error);
	sc_mpi_agent_result(flight, status);
	if (!status && flight.sequence != SC_NOT_WRITTEN)
		sc_mpi_request_begun(HANDLE, NULL, flight);
	return status;
}

void sc_mpi_detached(void)
{
	struct sc_mpi_flight flight;

	while (sc_mpi_request_take(HANDLE, NULL, &flight, 1))
		sc_mpi_agent_end(flight, SC_AGENT_COMPLETE);
}

int sc_mpi_detach(const struct sc_mpi_call *c, int *error)
{
	int status = sc_mpi_call_real(c, error);

	if (!status)
		sc_mpi_detached();
	return status;
}
