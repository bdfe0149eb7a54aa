/* CUDA arrays: bytes of a device without an address; mipmapped ones are an array for each level. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

#include "simulator/driver/memory/memory.h"

#define SIM_MIPMAP_LEVELS 20

struct CUarray_st {
	struct sim_alloc *alloc; /* counted; not in the address table */
	CUcontext context;
	CUDA_ARRAY3D_DESCRIPTOR descriptor;
	size_t element_bytes;
	size_t row_bytes;
	size_t rows;	/* at least 1 */
	size_t slices;	/* at least 1 */
	bool is_level;	/* of a mipmapped array */
	uint64_t place; /* where a tool lists what launches touch of it, or 0 */
};

struct CUmipmappedArray_st {
	unsigned int count;
	CUarray levels[SIM_MIPMAP_LEVELS]; /* owned */
};

/* An array of the current context. */
CUresult sim_array_new(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray *array);

/* Copies and kernels in flight hold the bytes. */
void sim_array_free(CUarray array);

/* For tools, exported: launches touch the array at that address, by the textures and surfaces that
 * are made of it from now on. */
void simulated_placeArray(CUarray array, uint64_t address);

/* Bytes of one channel, 0 for a format that is not linear in memory. */
size_t sim_array_channel_bytes(CUarray_format format);
