/* The CUDA programs' way of saying what went wrong: the line, and exit code 1. */
#pragma once

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define CHECK(claim)                                                                \
	do {                                                                        \
		if (!(claim)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #claim); \
			exit(1);                                                    \
		}                                                                   \
	} while (0)

/* The call must return exactly this error. */
#define CHECK_ERROR(call, wanted)                                                             \
	do {                                                                                  \
		cudaError_t error_ = (call);                                                  \
		if (error_ != (wanted)) {                                                     \
			fprintf(stderr, "%s:%d: %s: %s, not %s\n", __FILE__, __LINE__, #call, \
				cudaGetErrorName(error_), cudaGetErrorName(wanted));          \
			exit(1);                                                              \
		}                                                                             \
	} while (0)

#define CHECK_CUDA(call) CHECK_ERROR(call, cudaSuccess)
