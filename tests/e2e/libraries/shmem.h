// What the stand-in for NVSHMEM can do. It is process 0 of two; in team 1, it has the number 1.
#ifndef SC_E2E_LIBRARIES_SHMEM_H
#define SC_E2E_LIBRARIES_SHMEM_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#define WORLD 0 // the team whose numbers are those of the processes
#define OTHER 1 // the team in which this process comes last

#define MOVE	 (void *to, const void *from, size_t count, int process, cudaStream_t stream)
#define TOGETHER (int team, void *to, const void *from, size_t count, cudaStream_t stream)

// ROW(result, name, parameters)
#define FUNCTIONS(ROW)                                                                            \
	ROW(int, nvshmem_my_pe, (void))                                                           \
	ROW(int, nvshmem_team_my_pe, (int team))                                                  \
	ROW(int, nvshmem_team_n_pes, (int team))                                                  \
	ROW(int, nvshmemx_hostlib_init_attr, (unsigned how, void *attributes))                    \
	ROW(int, nvshmemid_hostlib_init_attr, (unsigned how, void *attributes))                   \
	ROW(int, nvshmemx_cumodule_init, (void *module))                                          \
	ROW(int, nvshmemx_collective_launch,                                                      \
	    (const void *kernel, dim3 grid, dim3 block, void **parameters, size_t shared,         \
	     cudaStream_t stream))                                                                \
	ROW(void, nvshmemx_putmem_on_stream, MOVE)                                                \
	ROW(void, nvshmemx_putmem_nbi_on_stream, MOVE)                                            \
	ROW(void, nvshmemx_getmem_nbi_on_stream, MOVE)                                            \
	ROW(void, nvshmemx_get32_on_stream, MOVE)                                                 \
	ROW(void, nvshmemx_float_put_signal_on_stream,                                            \
	    (float *to, const float *from, size_t count, uint64_t *signal, uint64_t value,        \
	     int operation, int process, cudaStream_t stream))                                    \
	ROW(void, nvshmemx_float_iput_on_stream,                                                  \
	    (float *to, const float *from, ptrdiff_t to_step, ptrdiff_t from_step, size_t count,  \
	     int process, cudaStream_t stream))                                                   \
	ROW(void, nvshmemx_float_p_on_stream,                                                     \
	    (float *to, float number, int process, cudaStream_t stream))                          \
	ROW(float, nvshmemx_float_g_on_stream,                                                    \
	    (const float *from, int process, cudaStream_t stream))                                \
	ROW(double, nvshmem_double_g, (const double *from, int process))                          \
	ROW(int, nvshmemx_float_sum_reduce_on_stream, TOGETHER)                                   \
	ROW(int, nvshmemx_int_max_reducescatter_on_stream, TOGETHER)                              \
	ROW(int, nvshmemx_alltoallmem_on_stream, TOGETHER)                                        \
	ROW(int, nvshmemx_fcollectmem_on_stream, TOGETHER)                                        \
	ROW(int, nvshmemx_broadcastmem_on_stream,                                                 \
	    (int team, void *to, const void *from, size_t count, int root, cudaStream_t stream))  \
	ROW(void, nvshmemx_signal_op_on_stream,                                                   \
	    (uint64_t * signal, uint64_t value, int operation, int process, cudaStream_t stream)) \
	ROW(void, nvshmemx_signal_wait_until_on_stream,                                           \
	    (uint64_t * signal, int comparison, uint64_t value, cudaStream_t stream))             \
	ROW(void, nvshmemx_int_wait_until_all_on_stream,                                          \
	    (int *words, size_t count, const int *status, int comparison, int value,              \
	     cudaStream_t stream))                                                                \
	ROW(void, nvshmemx_quiet_on_stream, (cudaStream_t stream))                                \
	ROW(void, nvshmemx_barrier_all_on_stream, (cudaStream_t stream))                          \
	ROW(void, nvshmem_putmem, (void *to, const void *from, size_t bytes, int process))        \
	ROW(void, nvshmem_putmem_nbi, (void *to, const void *from, size_t bytes, int process))    \
	ROW(void, nvshmem_getmem, (void *to, const void *from, size_t bytes, int process))        \
	ROW(int, nvshmem_float_sum_reduce, (int team, void *to, const void *from, size_t count))  \
	ROW(void *, nvshmem_malloc, (size_t bytes))                                               \
	ROW(void, nvshmem_free, (void *memory))                                                   \
	ROW(void, nvshmem_quiet, (void))                                                          \
	ROW(void, nvshmemx_flush, (void))                                                         \
	ROW(float, stand_in_number, (void)) // that was put last

extern "C" {
#define ROW(result, name, parameters) result name parameters;
FUNCTIONS(ROW)
#undef ROW
}

#ifdef LOOKED_UP
#include <dlfcn.h>

// The same, for a user that is not linked with the library but looks its functions up.
static void *in_library(const char *name)
{
	static void *library = dlopen("libnvshmem_host.so.3", RTLD_NOW | RTLD_LOCAL);

	return dlsym(library, name);
}

namespace looked_up
{
#define ROW(result, name, parameters) \
	static const decltype(&::name) name = (decltype(&::name))in_library(#name);
FUNCTIONS(ROW)
#undef ROW
} // namespace looked_up
#define LIBRARY looked_up
#else
#define LIBRARY
#endif

#endif
