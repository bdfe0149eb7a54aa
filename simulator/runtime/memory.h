/*
 * Allocation of every kind, what a pointer is, and the addresses of registered variables.
 *
 * An allocation of no bytes succeeds and yields NULL, without a driver call.
 */
#pragma once

#include "simulator/runtime/driver.h"

CUresult rt_malloc(const struct rt_calls *cu, void **memory, size_t size);
CUresult rt_host_alloc(const struct rt_calls *cu, void **memory, size_t size, unsigned int flags);
CUresult rt_malloc_managed(const struct rt_calls *cu, void **memory, size_t size,
			   unsigned int flags);
CUresult rt_malloc_pitch(const struct rt_calls *cu, void **memory, size_t *pitch, size_t width,
			 size_t height);
CUresult rt_malloc_3d(const struct rt_calls *cu, struct cudaPitchedPtr *memory,
		      struct cudaExtent extent);

/* pool is NULL for the current pool of the device. */
CUresult rt_malloc_async(const struct rt_calls *cu, void **memory, size_t size, CUmemoryPool pool,
			 cudaStream_t stream);

CUresult rt_pointer_attributes(const struct rt_calls *cu, struct cudaPointerAttributes *attributes,
			       const void *pointer);
CUresult rt_symbol_address(void **address, const void *symbol);
CUresult rt_symbol_size(size_t *size, const void *symbol);

/* A place in memory as the driver writes it. */
CUmemLocation rt_location(struct cudaMemLocation location);
