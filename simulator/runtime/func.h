/*
 * What a program asks of its kernels: attributes, names, parameters, occupancy.
 *
 * Where the driver wants a CUfunction it is derived from the kernel for the current context.
 */
#pragma once

#include "simulator/runtime/driver.h"

CUresult rt_func_attributes(const struct rt_calls *cu, struct cudaFuncAttributes *attributes,
			    const void *function);
CUresult rt_func_set_attribute(const struct rt_calls *cu, const void *function,
			       enum cudaFuncAttribute attribute, int value);
CUresult rt_func_cache_config(const struct rt_calls *cu, const void *function,
			      enum cudaFuncCache config);
CUresult rt_func_bank_config(const struct rt_calls *cu, const void *function,
			     enum cudaSharedMemConfig config);
CUresult rt_func_name(const struct rt_calls *cu, const char **name, const void *function);
CUresult rt_func_param(const struct rt_calls *cu, const void *function, size_t index,
		       size_t *offset, size_t *size);
CUresult rt_func_param_count(const struct rt_calls *cu, const void *function, size_t *count);
CUresult rt_func_handle(const struct rt_calls *cu, const void *function, cudaFunction_t *handle);

/* A launch configuration in the driver's form. */
CUresult rt_func_config(const cudaLaunchConfig_t *config, CUlaunchConfig *driver);

CUresult rt_occupancy_blocks(const struct rt_calls *cu, int *blocks, const void *function,
			     int block_size, size_t shared_bytes, unsigned int flags);
CUresult rt_occupancy_shared(const struct rt_calls *cu, size_t *shared_bytes, const void *function,
			     int blocks, int block_size);
CUresult rt_occupancy_cluster_size(const struct rt_calls *cu, int *size, const void *function,
				   const cudaLaunchConfig_t *config);
CUresult rt_occupancy_clusters(const struct rt_calls *cu, int *count, const void *function,
			       const cudaLaunchConfig_t *config);
