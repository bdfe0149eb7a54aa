/* Buffers of a call of MPI: the bytes that its operation reads and writes (B-10). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "extensions/agents/mpi/abi.h"
#include "extensions/agents/mpi/datatype.h"
#include "extensions/agents/mpi/row.h"
#include "trace/attach.h"

#define SC_MPI_ACCESSES_MOST 48

/* The accesses of an operation. More than there is room for are one for each mode, as an upper
 * bound. */
struct sc_mpi_accesses {
	unsigned count;
	struct sc_access item[SC_MPI_ACCESSES_MOST];
};

/* What the call with these parameters does. Asks the library and the driver: with sc_self.busy
 * raised. */
void sc_mpi_describe(const struct sc_mpi_library *l, const struct sc_mpi_row *row,
		     const uint64_t *parameter, struct sc_mpi_accesses *out);
/* Appends the pieces, from an address on. Asks the driver. */
void sc_mpi_append_pieces(struct sc_mpi_accesses *list, uint64_t base, uint8_t mode,
			  const struct sc_mpi_pieces *p);
/* The first of them whose memory the host cannot touch; NULL: it can touch all. */
const struct sc_access *sc_mpi_first_of_device(const struct sc_mpi_accesses *list);
