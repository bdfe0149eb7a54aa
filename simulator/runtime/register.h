/*
 * What the compiler's start-up code registers: modules, kernels, variables.
 *
 * A module is one fat binary. Registration only takes notes; the module is given to the driver just
 * before its first kernel or variable is used, or at once if the driver loads eagerly. A symbol
 * lives as long as its module and is found by its host address.
 */
#pragma once

#include "simulator/runtime/driver.h"

struct rt_symbol;

/* Loads what does not wait for its first use: all that is registered if the driver loads eagerly,
 * else modules with managed variables. Needs no context. Failures show at first use. */
void rt_register_load(void);

/*
 * The driver's kernel for what a program passes as a kernel: the address of a host function,
 * whose module is loaded if need be, or else a handle, which the driver may judge.
 */
CUresult rt_kernel(const void *function, CUkernel *kernel);

/* The kernel of a handle that __cudaGetKernel() gave out. */
CUresult rt_kernel_of_stub(const void *handle, CUkernel *kernel);

/* The host function that a kernel was registered with, or the kernel itself if there is none. */
const void *rt_kernel_host(CUkernel kernel);

/* Device address and size of a registered variable. The driver is asked for the address only, as
 * NVIDIA's runtime does: the size is the compiler's; cudaErrorInvalidSymbol if there is none. */
CUresult rt_variable(const void *symbol, CUdeviceptr *address, size_t *size);
