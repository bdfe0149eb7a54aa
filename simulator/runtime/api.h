/*
 * How the public names are made visible, and the prototypes that no CUDA header for C declares.
 *
 * In the shared library a public name is exported; in the static archive it is hidden, so that a
 * program linked with it does not offer its runtime to others.
 */
#pragma once

#include <cuda_runtime_api.h>

#ifdef RT_STATIC
#define RT_EXPORT __attribute__((visibility("hidden")))
#else
#define RT_EXPORT __attribute__((visibility("default")))
#endif

RT_EXPORT unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
						   struct CUstream_st *stream);
RT_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
						 void *stream);
RT_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *function);

RT_EXPORT void **__cudaRegisterFatBinary(void *image);
RT_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
RT_EXPORT void __cudaUnregisterFatBinary(void **handle);
RT_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device,
				      const char *name, int thread_limit, uint3 *thread,
				      uint3 *block, dim3 *block_dim, dim3 *grid_dim,
				      int *warp_size);
RT_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
				 size_t size, int constant, int global);
RT_EXPORT void __cudaRegisterManagedVar(void **handle, void **slot, char *device, const char *name,
					int ext, size_t size, int constant, int global);
RT_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size);
#if RT_MAJOR >= 12
RT_EXPORT void __cudaRegisterUnifiedTable(void **handle, void *table);
#else
RT_EXPORT void __cudaRegisterTexture(void **handle, const void *host, const void **device,
				     const char *name, int dimensions, int normalized, int ext);
RT_EXPORT void __cudaRegisterSurface(void **handle, const void *host, const void **device,
				     const char *name, int dimensions, int ext);
#endif
RT_EXPORT char __cudaInitModule(void **handle);
