/* Launches kernels and keeps the launch configurations that <<<...>>> pushes. */
#include "simulator/runtime/launch.h"

#include <limits.h>

#include "simulator/runtime/api.h"
#include "simulator/runtime/context.h"
#include "simulator/runtime/func.h"
#include "simulator/runtime/properties.h"
#include "simulator/runtime/register.h"

/* Arguments of a launch may launch themselves before the outer launch happens. */
#define MAX_NESTING 16

static _Thread_local struct rt_shape pushed[MAX_NESTING];
static _Thread_local unsigned int pushed_count;

static bool fits(dim3 have, const int limit[3])
{
	return have.x && have.y && have.z && have.x <= (unsigned int)limit[0] &&
	       have.y <= (unsigned int)limit[1] && have.z <= (unsigned int)limit[2];
}

/* The driver calls a wrong shape an invalid value; the runtime's word is invalid configuration. */
static CUresult explain(const struct rt_calls *cu, CUresult err, const struct rt_shape *shape)
{
	struct cudaDeviceProp p;

	if (err != CUDA_ERROR_INVALID_VALUE)
		return err;
	if (rt_get_device_properties(&p, rt_context_device(cu)))
		return err;
	if (fits(shape->grid, p.maxGridSize) && fits(shape->block, p.maxThreadsDim) &&
	    (size_t)shape->block.x * shape->block.y * shape->block.z <=
		    (size_t)p.maxThreadsPerBlock)
		return err;
	return rt_fail(cudaErrorInvalidConfiguration);
}

static CUresult launch(const struct rt_calls *cu, CUkernel kernel, const struct rt_shape *shape,
		       void **args)
{
	CUresult err;

	if (shape->shared_bytes > UINT_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	err = cu->cuLaunchKernel((CUfunction)kernel, shape->grid.x, shape->grid.y, shape->grid.z,
				 shape->block.x, shape->block.y, shape->block.z,
				 (unsigned int)shape->shared_bytes, shape->stream, args, NULL);
	return explain(cu, err, shape);
}

CUresult rt_launch(const struct rt_calls *cu, const void *function, const struct rt_shape *shape,
		   void **args)
{
	CUkernel kernel;
	CUresult err = rt_kernel(function, &kernel);

	return err ? err : launch(cu, kernel, shape, args);
}

CUresult rt_launch_stub(const struct rt_calls *cu, const void *handle, const struct rt_shape *shape,
			void **args)
{
	CUkernel kernel;
	CUresult err = rt_kernel_of_stub(handle, &kernel);

	return err ? err : launch(cu, kernel, shape, args);
}

CUresult rt_launch_cooperative(const struct rt_calls *cu, const void *function,
			       const struct rt_shape *shape, void **args)
{
	CUkernel kernel;
	CUresult err = rt_kernel(function, &kernel);

	if (err)
		return err;
	if (shape->shared_bytes > UINT_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	err = cu->cuLaunchCooperativeKernel((CUfunction)kernel, shape->grid.x, shape->grid.y,
					    shape->grid.z, shape->block.x, shape->block.y,
					    shape->block.z, (unsigned int)shape->shared_bytes,
					    shape->stream, args);
	return explain(cu, err, shape);
}

CUresult rt_launch_config(const struct rt_calls *cu, const cudaLaunchConfig_t *config,
			  const void *function, void **args)
{
	struct rt_shape shape;
	CUlaunchConfig c;
	CUkernel kernel;
	CUresult err = rt_func_config(config, &c);

	if (!err)
		err = rt_kernel(function, &kernel);
	if (err)
		return err;
	shape = (struct rt_shape){.grid = config->gridDim, .block = config->blockDim};
	return explain(cu, cu->cuLaunchKernelEx(&c, (CUfunction)kernel, args, NULL), &shape);
}

/* Not 0 makes the compiler's code skip the launch. */
RT_EXPORT unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
						   struct CUstream_st *stream)
{
	if (pushed_count == MAX_NESTING)
		return 1;
	pushed[pushed_count++] = (struct rt_shape){grid, block, shared_bytes, stream};
	return 0;
}

RT_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
						 void *stream)
{
	const struct rt_shape *shape;

	if (!pushed_count)
		return cudaErrorMissingConfiguration;
	shape = &pushed[--pushed_count];
	*grid = shape->grid;
	*block = shape->block;
	*shared_bytes = shape->shared_bytes;
	*(cudaStream_t *)stream = shape->stream;
	return cudaSuccess;
}
