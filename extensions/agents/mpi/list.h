/* Lists of ranks that belong to a message (SC_MESSAGE_LIST): those whose data a collective with
 * lists of counts, or among neighbours, brings to its caller; those that an epoch of a window is
 * for. */
#pragma once

#include "extensions/agents/mpi/call.h"

/* Writes the list that the message of this call has, if it has one; or marks the message if it is
 * of all ranks. Before the message itself is written. */
void sc_mpi_list_write(const struct sc_mpi_call *c, struct sc_mpi_messages *messages);
