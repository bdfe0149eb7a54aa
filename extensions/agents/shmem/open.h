/* Open operations of NVSHMEM: those without a wait of their own (`_nbi`), until something says that
 * they are complete. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "extensions/agents/mpi/agent.h"
#include "interposer/object/handle.h"

/* An operation was begun, by the stream, or by the host (NULL). */
void sc_shmem_open_add(struct sc_mpi_flight flight, const struct sc_handle *stream);
/* Those that this stream began are complete for what comes after its work, and, with `is_any`,
 * those of others are. */
void sc_shmem_open_complete_in(const struct sc_handle *stream, bool is_any);
/* All are complete for the host. */
void sc_shmem_open_complete(void);
