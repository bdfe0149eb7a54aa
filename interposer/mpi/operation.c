/* Operations of MPI: what is written at their beginning and at their end. */
#include "interposer/mpi/operation.h"

#include <string.h>

struct sc_mpi_flight sc_mpi_operation_begin(const struct sc_mpi_call *c,
					    const struct sc_mpi_accesses *list,
					    const struct sc_mpi_messages *messages)
{
	struct sc_mpi_flight message = SC_MPI_NO_FLIGHT, flight;

	/* before the operation: a reader of a running process stops where that has no result yet */
	sc_mpi_message_begin(messages, &message);
	flight = sc_mpi_call_begin(c, list);
	memcpy(flight.message, message.message, sizeof(flight.message));
	return flight;
}

void sc_mpi_operation_result(const struct sc_mpi_call *c, struct sc_mpi_flight flight, int status)
{
	sc_mpi_agent_result(flight, status);
	sc_mpi_message_result(c->library, &flight, status);
}

void sc_mpi_operation_end(const struct sc_mpi_call *c, struct sc_mpi_flight flight, unsigned how,
			  const void *status)
{
	sc_mpi_agent_end(flight, how);
	sc_mpi_message_end(c->library, &flight, status, 0);
}

int sc_mpi_operation_run(const struct sc_mpi_call *c, struct sc_mpi_flight *flight, int *error)
{
	struct sc_mpi_messages messages;
	struct sc_mpi_accesses list;
	int status;

	sc_mpi_call_describe(c, &list);
	sc_mpi_message_describe(c, &messages);
	*flight = sc_mpi_operation_begin(c, &list, &messages);
	status = sc_mpi_call_real(c, error);
	sc_mpi_operation_result(c, *flight, status);
	return status;
}
