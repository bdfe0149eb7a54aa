/* Operations of MPI: the memory that they use (agent.h) and the messages that they are (message.h).
 *
 * An operation that is one message has one record for both (trace/agent.h). Of several the first is
 * in that record: the one that is sent.
 */
#pragma once

#include "extensions/agents/mpi/call.h"
#include "extensions/agents/mpi/message.h"

/* The call's operation begins. */
struct sc_mpi_flight sc_mpi_operation_begin(const struct sc_mpi_call *c,
					    const struct sc_mpi_accesses *list,
					    const struct sc_mpi_messages *messages);
/* The call returned; the operation is complete, or was given up, as its status says (or NULL). Ends
 * are written by sc_mpi_ends_put at the latest. */
void sc_mpi_operation_result(const struct sc_mpi_call *c, struct sc_mpi_flight flight, int status);
void sc_mpi_operation_end(const struct sc_mpi_call *c, const struct sc_mpi_flight *flight,
			  enum sc_agent_end how, const void *status, struct sc_mpi_ends *ends);
/* The call blocked until the operation was complete, and succeeded. */
void sc_mpi_operation_returned(const struct sc_mpi_call *c, struct sc_mpi_flight flight);
/* Calls the real function of one whose operation begins with it; `flight` gets the operation. */
int sc_mpi_operation_run(const struct sc_mpi_call *c, struct sc_mpi_flight *flight, int *error);
