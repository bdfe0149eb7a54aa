/* Pinned memory that a copy from the device fills, for a language that cannot speak CUDA itself. */
#ifndef SC_TESTS_PINNED_H
#define SC_TESTS_PINNED_H

#include <cuda_runtime.h>

#define PINNED_BYTES 65536

static void *pinned, *pinned_source;
static cudaStream_t pinned_stream;

/* The memory, or NULL. */
static inline void *pinned_begin(void)
{
	if (cudaMallocHost(&pinned, PINNED_BYTES) || cudaMalloc(&pinned_source, PINNED_BYTES) ||
	    cudaStreamCreate(&pinned_stream))
		return NULL;
	return pinned;
}

/* Each returns 0, or an error. */
static inline int pinned_fill(void)
{
	return cudaMemcpyAsync(pinned, pinned_source, PINNED_BYTES, cudaMemcpyDeviceToHost,
			       pinned_stream);
}

static inline int pinned_wait(void)
{
	return cudaStreamSynchronize(pinned_stream);
}

static inline int pinned_end(void)
{
	return (int)cudaStreamDestroy(pinned_stream) | (int)cudaFree(pinned_source) |
	       (int)cudaFreeHost(pinned);
}

#endif
