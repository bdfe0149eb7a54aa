/* Physical memory without an address: what cuMemCreate makes and cuMemMap maps (rule P-12).
 *
 * It is a file in memory, so that several mappings show the same bytes. The application's handle
 * and the mappings keep it; mappings also outlive the handle.
 */
#pragma once

#include <stddef.h>

#include <cuda.h>

#include "simulator/driver/driver.h"

#define SIM_GRANULARITY ((size_t)2 << 20)

struct sim_physical {
	unsigned int handles; /* cuMemCreate and cuMemRetainAllocationHandle less cuMemRelease */
	unsigned int mappings;
	int fd;
	size_t size_bytes;
	struct sim_device *device; /* NULL: it is the host's memory */
	CUmemAllocationProp prop;
};

/* The live object of a handle, or NULL. */
struct sim_physical *sim_physical_from(CUmemGenericAllocationHandle handle);

/* A further handle of the application; false when out of memory. */
bool sim_physical_retain(struct sim_physical *physical);

/* One mapping less. */
void sim_physical_unmapped(struct sim_physical *physical);
