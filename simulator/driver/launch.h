/* Kernel launches: checked as a device would, then time passes; nothing is executed.
 *
 * A kernel can be made to fail, as a kernel that touches an address without memory does: see
 * STREAMCHECK_SIM_FAILING_KERNEL in driver.h.
 */
#ifndef SIM_LAUNCH_H
#define SIM_LAUNCH_H

#include <cuda.h>

#define SIM_DEFAULT_DYNAMIC_SHARED 49152
#define SIM_MAX_DYNAMIC_SHARED	   232448
#define SIM_MAX_BLOCK_THREADS	   1024

/* Is this a launch that the device can carry out in that context? */
CUresult sim_launch_check(const CUDA_KERNEL_NODE_PARAMS *params, CUcontext context);

/* What the kernel of a checked launch is, and how it will end. */
struct sim_kernel sim_launch_work(const CUDA_KERNEL_NODE_PARAMS *params);

#endif
