/* Kernel launches: checked as a device would, then enqueued (program.h, execute.h).
 *
 * A kernel can be made to fail, as a kernel that touches an address without memory does: see
 * STREAMCHECK_SIM_FAILING_KERNEL in driver.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

#include "image/image.h"
#include "simulator/driver/schedule/work.h"

struct exec_kernel;

#define SIM_DEFAULT_SHARED    49152
#define SIM_MAX_SHARED	      232448
#define SIM_MAX_BLOCK_THREADS 1024

/* Is this a launch that the device can carry out in that context? */
CUresult sim_launch_check(const CUDA_KERNEL_NODE_PARAMS *params, CUcontext context);

/* What the kernel of a checked launch is; the caller's until it is in an op. Of the attributes only
 * the clusters matter. */
CUresult sim_launch_work(const CUDA_KERNEL_NODE_PARAMS *params, const CUlaunchAttribute *attrs,
			 size_t attr_count, CUcontext context, bool is_cooperative,
			 struct sim_kernel *kernel);

/* The size of a kernel's parameters, and their values now, as machine code has them or as the
 * executor's kernel has; false: a buffer is too short. */
size_t sim_launch_params_bytes(const struct sim_image_kernel *image,
			       const struct exec_kernel *kernel);
bool sim_launch_copy_params(const CUDA_KERNEL_NODE_PARAMS *params,
			    const struct sim_image_kernel *image, const struct exec_kernel *kernel,
			    char *to);

/* The blocks of a launch's clusters: those that its kernel demands, or else an attribute; 0:
 * neither. INVALID_CLUSTER_SIZE if the device, or the grid, cannot have them. */
CUresult sim_launch_cluster(const CUDA_KERNEL_NODE_PARAMS *params, const CUlaunchAttribute *attrs,
			    size_t attr_count, uint32_t cluster[3]);
