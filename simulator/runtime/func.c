/* Answers questions about kernels through the driver's kernel and function handles. */
#include "simulator/runtime/func.h"

#include <limits.h>

#include "simulator/runtime/register.h"
#include "simulator/runtime/version.h"

/* The function of a kernel in the current context, and the kernel itself where it is wanted. */
static CUresult function_of(const struct rt_calls *cu, const void *host, CUkernel *kernel,
			    CUfunction *function)
{
	CUresult err = rt_kernel(host, kernel);

	return err ? err : cu->cuKernelGetFunction(function, *kernel);
}

static CUresult read_attributes(const struct rt_calls *cu, struct cudaFuncAttributes *found,
				CUkernel kernel, CUdevice device)
{
	CUresult err;
	int value;

#define ATTRIBUTE(member, attribute)                                                           \
	value = 0;                                                                             \
	err = cu->cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_##attribute, kernel, device); \
	if (err)                                                                               \
		return err;                                                                    \
	found->member = (__typeof__(found->member))value;
#include "simulator/runtime/func.def"
#undef ATTRIBUTE
	return CUDA_SUCCESS;
}

CUresult rt_func_attributes(const struct rt_calls *cu, struct cudaFuncAttributes *attributes,
			    const void *function)
{
	struct cudaFuncAttributes found = {0};
	CUdevice device = 0;
	CUkernel kernel;
	CUfunction unused;
	CUresult err;

	if (!attributes)
		return CUDA_ERROR_INVALID_VALUE;
	err = cu->cuCtxGetDevice(&device);
	if (!err)
		err = function_of(cu, function, &kernel, &unused);
	if (!err)
		err = read_attributes(cu, &found, kernel, device);
	if (!err)
		memcpy(attributes, &found, RT_BYTES_cudaFuncAttributes);
	return err;
}

CUresult rt_func_set_attribute(const struct rt_calls *cu, const void *function,
			       enum cudaFuncAttribute attribute, int value)
{
	CUdevice device = 0;
	CUkernel kernel;
	CUresult err = rt_kernel(function, &kernel);

	if (!err)
		err = cu->cuCtxGetDevice(&device);
	return err ? err : cu->cuKernelSetAttribute((int)attribute, value, kernel, device);
}

CUresult rt_func_cache_config(const struct rt_calls *cu, const void *function,
			      enum cudaFuncCache config)
{
	CUdevice device = 0;
	CUkernel kernel;
	CUresult err = rt_kernel(function, &kernel);

	if (!err)
		err = cu->cuCtxGetDevice(&device);
	return err ? err : cu->cuKernelSetCacheConfig(kernel, (int)config, device);
}

CUresult rt_func_bank_config(const struct rt_calls *cu, const void *function,
			     enum cudaSharedMemConfig config)
{
	CUkernel kernel;
	CUfunction handle;
	CUresult err = function_of(cu, function, &kernel, &handle);

	return err ? err : cu->cuFuncSetSharedMemConfig(handle, (int)config);
}

CUresult rt_func_name(const struct rt_calls *cu, const char **name, const void *function)
{
	CUkernel kernel;
	CUresult err = rt_kernel(function, &kernel);

	return err ? err : cu->cuKernelGetName(name, kernel);
}

CUresult rt_func_param(const struct rt_calls *cu, const void *function, size_t index,
		       size_t *offset, size_t *size)
{
	CUkernel kernel;
	CUresult err = rt_kernel(function, &kernel);

	return err ? err : cu->cuKernelGetParamInfo(kernel, index, offset, size);
}

CUresult rt_func_param_count(const struct rt_calls *cu, const void *function, size_t *count)
{
	CUkernel kernel;
	CUresult err = rt_kernel(function, &kernel);

	return err ? err : cu->cuKernelGetParamCount(kernel, count);
}

CUresult rt_func_handle(const struct rt_calls *cu, const void *function, cudaFunction_t *handle)
{
	CUkernel kernel;

	if (!handle)
		return CUDA_ERROR_INVALID_VALUE;
	return function_of(cu, function, &kernel, handle);
}

CUresult rt_occupancy_blocks(const struct rt_calls *cu, int *blocks, const void *function,
			     int block_size, size_t shared_bytes, unsigned int flags)
{
	CUkernel kernel;
	CUfunction handle;
	CUresult err = function_of(cu, function, &kernel, &handle);

	if (err)
		return err;
	return cu->cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, handle, block_size,
									shared_bytes, flags);
}

CUresult rt_occupancy_shared(const struct rt_calls *cu, size_t *shared_bytes, const void *function,
			     int blocks, int block_size)
{
	CUkernel kernel;
	CUfunction handle;
	CUresult err = function_of(cu, function, &kernel, &handle);

	if (err)
		return err;
	return cu->cuOccupancyAvailableDynamicSMemPerBlock(shared_bytes, handle, blocks,
							   block_size);
}

CUresult rt_func_config(const cudaLaunchConfig_t *config, CUlaunchConfig *driver)
{
	if (!config || config->dynamicSmemBytes > UINT_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	*driver = (CUlaunchConfig){
		.gridDimX = config->gridDim.x,
		.gridDimY = config->gridDim.y,
		.gridDimZ = config->gridDim.z,
		.blockDimX = config->blockDim.x,
		.blockDimY = config->blockDim.y,
		.blockDimZ = config->blockDim.z,
		.sharedMemBytes = (unsigned int)config->dynamicSmemBytes,
		.hStream = config->stream,
		.attrs = (CUlaunchAttribute *)(void *)config->attrs,
		.numAttrs = config->numAttrs,
	};
	return CUDA_SUCCESS;
}

CUresult rt_occupancy_cluster_size(const struct rt_calls *cu, int *size, const void *function,
				   const cudaLaunchConfig_t *config)
{
	CUlaunchConfig driver;
	CUkernel kernel;
	CUfunction handle;
	CUresult err = rt_func_config(config, &driver);

	if (!err)
		err = function_of(cu, function, &kernel, &handle);
	return err ? err : cu->cuOccupancyMaxPotentialClusterSize(size, handle, &driver);
}

CUresult rt_occupancy_clusters(const struct rt_calls *cu, int *count, const void *function,
			       const cudaLaunchConfig_t *config)
{
	CUlaunchConfig driver;
	CUkernel kernel;
	CUfunction handle;
	CUresult err = rt_func_config(config, &driver);

	if (!err)
		err = function_of(cu, function, &kernel, &handle);
	return err ? err : cu->cuOccupancyMaxActiveClusters(count, handle, &driver);
}
