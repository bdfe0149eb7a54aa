/* Known calls: what is found out about a message is kept with the parameters of its call.
 *
 * A program sends the same buffers again and again. What the record of such a call says, all but
 * its time, its thread and its stack, depends on its parameters, on which allocations and
 * communicators there are, and on nothing else: the type is one that the library has from the
 * start, and the buffer lies in an allocation of the recorder's table. As long as the parameters
 * are the same, and no allocation and no communicator came or went since, the record is written
 * from what is kept. The stack is compared by its words (stack/recent.h). Both ways write the same
 * (test_mpi_known.c). For one thread; a few loads and comparisons.
 */
#pragma once

#include "extensions/agents/mpi/call.h"

/* What an answer rests on besides parameters. */
struct sc_mpi_known_state {
	unsigned memory, groups;
};

struct sc_mpi_known_state sc_mpi_known_now(void);
/* Begins the operation of a call that is known, and is one message; false: it is not known. */
bool sc_mpi_known_begin(const struct sc_mpi_call *c, struct sc_mpi_flight *flight);
/* Keeps what was found out about the call since that state: its accesses, and the message that its
 * record has, or NULL. */
void sc_mpi_known_keep(const struct sc_mpi_call *c, struct sc_mpi_known_state since,
		       const struct sc_mpi_accesses *list, const struct sc_mpi_message *message);
