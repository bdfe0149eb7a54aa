/*
 * Linear copies: the direction that the program states decides which driver call is made.
 *
 * The default direction is left to the driver, which knows where each address lies. A direction
 * that is none of the five is cudaErrorInvalidMemcpyDirection.
 */
#pragma once

#include "simulator/runtime/driver.h"

/* Whether a call returns after its work or puts it into a stream. */
struct rt_when {
	bool is_async;
	cudaStream_t stream;
};

#define RT_SYNC	       ((struct rt_when){.is_async = false})
#define RT_ASYNC(into) ((struct rt_when){.is_async = true, .stream = (into)})

CUresult rt_copy(const struct rt_calls *cu, void *to, const void *from, size_t count,
		 enum cudaMemcpyKind kind);
CUresult rt_copy_async(const struct rt_calls *cu, void *to, const void *from, size_t count,
		       enum cudaMemcpyKind kind, cudaStream_t stream);
CUresult rt_copy_peer(const struct rt_calls *cu, void *to, int to_device, const void *from,
		      int from_device, size_t count);
CUresult rt_copy_peer_async(const struct rt_calls *cu, void *to, int to_device, const void *from,
			    int from_device, size_t count, cudaStream_t stream);

/* The address at an offset of a registered variable; count bytes from there must lie in it. */
CUresult rt_symbol_range(const void *symbol, size_t offset, size_t count, void **address);

CUresult rt_copy_to_symbol(const struct rt_calls *cu, const void *symbol, const void *from,
			   size_t count, size_t offset, enum cudaMemcpyKind kind,
			   struct rt_when when);
CUresult rt_copy_from_symbol(const struct rt_calls *cu, void *to, const void *symbol, size_t count,
			     size_t offset, enum cudaMemcpyKind kind, struct rt_when when);
