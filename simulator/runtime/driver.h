/*
 * The driver as this runtime sees it: one table of function pointers for each stream flavour.
 *
 * Every driver function is fetched through cuGetProcAddress, by name, version and flags, from
 * whatever "libcuda.so.1" the loader finds. Tools that hook dlsym or cuGetProcAddress therefore see
 * what they see beneath any other CUDA runtime. A function that the driver lacks is replaced by one
 * that answers cudaErrorCallRequiresNewerDriver, so that no pointer in the table is NULL.
 */
#pragma once

#include <cuda.h>
#include <cudaProfiler.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Which meaning stream 0 has: the legacy default stream or the calling thread's own. */
enum rt_flavour { RT_LEGACY, RT_PER_THREAD };

struct rt_calls {
#define DRIVER(name, version, per_thread_version) __typeof__(&name) name;
#include "simulator/runtime/driver.def"
#undef DRIVER
};

/* Loads the driver once and runs cuInit; later calls return the first outcome. */
cudaError_t rt_driver_open(void);

/* True once rt_driver_open() has succeeded in this process. */
bool rt_driver_is_open(void);

/* The table of one flavour; valid after rt_driver_open() succeeded. */
const struct rt_calls *rt_driver_calls(enum rt_flavour flavour);

/* True if the driver asks for modules to be loaded at start and not at first use. */
bool rt_driver_is_eager(void);

/* True if a tool changes kernels (the simulated driver's instrument.h). */
bool rt_driver_has_tool(void);

/* The raw entry point look-up of the driver, for cudaGetDriverEntryPoint. */
CUresult rt_driver_find(const char *name, void **function, int version, cuuint64_t flags,
			CUdriverProcAddressQueryResult *status);

/* An error that only the runtime knows, in the driver's type; the numbers agree. */
static inline CUresult rt_fail(cudaError_t error)
{
	return (CUresult)error;
}

/* The flags that an event may be created with. */
#define RT_EVENT_FLAGS \
	((unsigned int)(cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess))

/* A device address as the driver writes it. */
static inline CUdeviceptr rt_address(const void *pointer)
{
	return (CUdeviceptr)pointer;
}
