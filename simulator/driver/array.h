/* CUDA arrays: bytes of a device without an address. */
#ifndef SIM_ARRAY_H
#define SIM_ARRAY_H

#include <stddef.h>

#include <cuda.h>

#include "simulator/driver/memory.h"

struct CUarray_st {
	struct sim_alloc *alloc; /* counted; not in the address table */
	CUcontext context;
	CUDA_ARRAY3D_DESCRIPTOR descriptor;
	size_t element_bytes;
	size_t row_bytes;
	size_t rows;   /* at least 1 */
	size_t slices; /* at least 1 */
};

#endif
