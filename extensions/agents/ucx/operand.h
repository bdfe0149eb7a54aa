/* Operands of a call of UCX: the bytes that its operation reads and writes (B-20). */
#pragma once

#include "extensions/agents/mpi/buffer.h"
#include "extensions/agents/ucx/row.h"

/* What the call with these parameters does. Asks the driver: with sc_self.busy raised. */
void sc_ucx_describe(const struct sc_ucx_row *row, const uint64_t *parameter,
		     struct sc_mpi_accesses *out);
