/* Device memory of this process that others map, and theirs here (rule P-11). */
#pragma once

#include <cuda.h>

#include "simulator/driver/memory/memory.h"
#include "simulator/driver/ipc/share.h"

/* Moves the bytes of the allocation at `address` to a file that others can map, once nobody uses
 * them; `find` says again which it is, since the call waits. */
CUresult sim_ipc_share(CUdeviceptr address, struct sim_alloc *(*find)(CUdeviceptr address));

/* Maps what another process has described, and takes the descriptor over. NULL when out of memory.
 */
struct sim_alloc *sim_ipc_import(const struct sim_share *found, struct sim_device *device,
				 enum sim_place place);
