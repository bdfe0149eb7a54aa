/* Launches kernels and keeps the launch configurations that <<<...>>> pushes. */
#include "simulator/runtime/launch.h"

#include <limits.h>

#include "simulator/runtime/api.h"
#include "simulator/runtime/context.h"
#include "simulator/runtime/func.h"
#include "simulator/runtime/register.h"

/* Arguments of a launch may launch themselves before the outer launch happens. */
#define MAX_NESTING 16

static _Thread_local struct rt_shape pushed[MAX_NESTING];
static _Thread_local unsigned int pushed_count;

/* As NVIDIA's runtime while a tool changes kernels: from another place than else. */
static __attribute__((noinline)) CUresult launch_changed(const struct rt_calls *cu, CUkernel kernel,
							 const struct rt_shape *shape, void **args)
{
	CUresult result =
		cu->cuLaunchKernel((CUfunction)kernel, shape->grid.x, shape->grid.y, shape->grid.z,
				   shape->block.x, shape->block.y, shape->block.z,
				   (unsigned int)shape->shared_bytes, shape->stream, args, NULL);

	__asm__ volatile(""); /* its frame stays */
	return result;
}

static CUresult launch(const struct rt_calls *cu, CUkernel kernel, const struct rt_shape *shape,
		       void **args)
{
	if (shape->shared_bytes > UINT_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	if (rt_driver_has_tool())
		return launch_changed(cu, kernel, shape, args);
	return cu->cuLaunchKernel((CUfunction)kernel, shape->grid.x, shape->grid.y, shape->grid.z,
				  shape->block.x, shape->block.y, shape->block.z,
				  (unsigned int)shape->shared_bytes, shape->stream, args, NULL);
}

/* As NVIDIA's runtime, which finds the kernel before the thread has a context
 * (tests/gpu/probes/25_without_context.cu). */
static CUresult find(const void *function, CUkernel *kernel)
{
	CUresult err = rt_kernel(function, kernel);

	return err ? err : rt_context_bind();
}

CUresult rt_launch(const struct rt_calls *cu, const void *function, const struct rt_shape *shape,
		   void **args)
{
	CUkernel kernel;
	CUresult err = find(function, &kernel);

	return err ? err : launch(cu, kernel, shape, args);
}

CUresult rt_launch_stub(const struct rt_calls *cu, const void *handle, const struct rt_shape *shape,
			void **args)
{
	CUkernel kernel;
	CUresult err = rt_kernel_of_stub(handle, &kernel);

	if (!err)
		err = rt_context_bind();
	return err ? err : launch(cu, kernel, shape, args);
}

CUresult rt_launch_cooperative(const struct rt_calls *cu, const void *function,
			       const struct rt_shape *shape, void **args)
{
	CUkernel kernel;
	CUresult err = find(function, &kernel);

	if (err)
		return err;
	if (shape->shared_bytes > UINT_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	return cu->cuLaunchCooperativeKernel((CUfunction)kernel, shape->grid.x, shape->grid.y,
					     shape->grid.z, shape->block.x, shape->block.y,
					     shape->block.z, (unsigned int)shape->shared_bytes,
					     shape->stream, args);
}

CUresult rt_launch_config(const struct rt_calls *cu, const cudaLaunchConfig_t *config,
			  const void *function, void **args)
{
	CUlaunchConfig c;
	CUkernel kernel;
	CUresult err = rt_func_config(config, &c);

	if (!err)
		err = find(function, &kernel);
	if (err)
		return err;
	return cu->cuLaunchKernelEx(&c, (CUfunction)kernel, args, NULL);
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
