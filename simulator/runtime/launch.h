/*
 * Kernel launches: every form ends in cuLaunchKernel or its extended and cooperative sisters, with
 * the driver's kernel handle in the place of the function (S-1).
 */
#pragma once

#include "simulator/runtime/driver.h"

/* The shape of one launch as the public functions receive it. */
struct rt_shape {
	dim3 grid, block;
	size_t shared_bytes;
	cudaStream_t stream;
};

CUresult rt_launch(const struct rt_calls *cu, const void *function, const struct rt_shape *shape,
		   void **args);
CUresult rt_launch_stub(const struct rt_calls *cu, const void *handle, const struct rt_shape *shape,
			void **args);
CUresult rt_launch_cooperative(const struct rt_calls *cu, const void *function,
			       const struct rt_shape *shape, void **args);
CUresult rt_launch_config(const struct rt_calls *cu, const cudaLaunchConfig_t *config,
			  const void *function, void **args);
