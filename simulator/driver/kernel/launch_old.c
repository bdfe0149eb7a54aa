/* Launches in the forms that newer ones replaced: of CUDA 2, and on several devices (L-5). */
#include <stdlib.h>
#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/capture.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/kernel/launch.h"
#include "simulator/driver/module/module.h"
#include "simulator/driver/stream/stream.h"
#include "simulator/driver/tool/tool.h"

#define MOST_DEVICES 16

/* ---- CUDA 2: a function keeps its shape and its parameters ---- */

static CUresult get_old(CUfunction function, struct sim_old_launch **old)
{
	if (!sim_handle_is(function, SIM_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!function->old) {
		function->old = calloc(1, sizeof(*function->old));
		if (!function->old)
			return CUDA_ERROR_OUT_OF_MEMORY;
		function->old->block[0] = function->old->block[1] = function->old->block[2] = 1;
	}
	*old = function->old;
	return CUDA_SUCCESS;
}

CUresult sim_cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z)
{
	struct sim_old_launch *old;
	CUresult result = get_old(hfunc, &old);

	if (result != CUDA_SUCCESS)
		return result;
	if (x <= 0 || y <= 0 || z <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	old->block[0] = (unsigned int)x;
	old->block[1] = (unsigned int)y;
	old->block[2] = (unsigned int)z;
	return CUDA_SUCCESS;
}

CUresult sim_cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes)
{
	struct sim_old_launch *old;
	CUresult result = get_old(hfunc, &old);

	if (result == CUDA_SUCCESS)
		old->shared_bytes = bytes;
	return result;
}

CUresult sim_cuParamSetSize(CUfunction hfunc, unsigned int numbytes)
{
	struct sim_old_launch *old;
	CUresult result = get_old(hfunc, &old);

	if (result != CUDA_SUCCESS)
		return result;
	if (numbytes > sizeof(old->values))
		return CUDA_ERROR_INVALID_VALUE;
	old->size_bytes = numbytes;
	return CUDA_SUCCESS;
}

CUresult sim_cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes)
{
	struct sim_old_launch *old;
	CUresult result = get_old(hfunc, &old);

	if (result != CUDA_SUCCESS)
		return result;
	if (!ptr || offset < 0 || numbytes > sizeof(old->values) ||
	    (size_t)offset > sizeof(old->values) - numbytes)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(old->values + offset, ptr, numbytes);
	return CUDA_SUCCESS;
}

CUresult sim_cuParamSeti(CUfunction hfunc, int offset, unsigned int value)
{
	return sim_cuParamSetv(hfunc, offset, &value, sizeof(value));
}

CUresult sim_cuParamSetf(CUfunction hfunc, int offset, float value)
{
	return sim_cuParamSetv(hfunc, offset, &value, sizeof(value));
}

CUresult sim_cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream)
{
	struct sim_old_launch *old;
	CUresult result = get_old(f, &old);
	size_t size;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, NULL, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
			 CU_LAUNCH_PARAM_END};

	if (result != CUDA_SUCCESS)
		return result;
	if (grid_width <= 0 || grid_height <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	extra[1] = old->values;
	size = old->size_bytes;
	return sim_cuLaunchKernel(f, (unsigned int)grid_width, (unsigned int)grid_height, 1,
				  old->block[0], old->block[1], old->block[2], old->shared_bytes,
				  hStream, NULL, extra);
}

CUresult sim_cuLaunchGrid(CUfunction f, int grid_width, int grid_height)
{
	return sim_cuLaunchGridAsync(f, grid_width, grid_height, CU_STREAM_LEGACY);
}

CUresult sim_cuLaunch(CUfunction f)
{
	return sim_cuLaunchGrid(f, 1, 1);
}

/* ---- several devices ---- */

static CUDA_KERNEL_NODE_PARAMS params_of(const CUDA_LAUNCH_PARAMS *one)
{
	return (CUDA_KERNEL_NODE_PARAMS){.func = one->function,
					 .gridDimX = one->gridDimX,
					 .gridDimY = one->gridDimY,
					 .gridDimZ = one->gridDimZ,
					 .blockDimX = one->blockDimX,
					 .blockDimY = one->blockDimY,
					 .blockDimZ = one->blockDimZ,
					 .sharedMemBytes = one->sharedMemBytes,
					 .kernelParams = one->kernelParams};
}

/* A launch and its stream, on a device of its own, as a kernel's parameters. */
static CUresult check_one(const CUDA_LAUNCH_PARAMS *one, CUstream *streams, unsigned int index)
{
	CUDA_KERNEL_NODE_PARAMS params = params_of(one);
	CUstream stream;
	CUresult result;
	unsigned int i;

	if (!sim_handle_use(one->hStream, SIM_KIND_STREAM) || one->hStream->is_legacy ||
	    one->hStream->owner)
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_stream_get_for_work(one->hStream, &stream);
	if (result != CUDA_SUCCESS)
		return result;
	if (stream->capture)
		return sim_capture_break(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	for (i = 0; i < index; i++)
		if (streams[i]->context->device == stream->context->device)
			return CUDA_ERROR_INVALID_DEVICE;
	streams[index] = stream;
	return sim_launch_check(&params, stream->context);
}

static bool has_same_shape(const CUDA_LAUNCH_PARAMS *a, const CUDA_LAUNCH_PARAMS *b)
{
	return a->gridDimX == b->gridDimX && a->gridDimY == b->gridDimY &&
	       a->gridDimZ == b->gridDimZ && a->blockDimX == b->blockDimX &&
	       a->blockDimY == b->blockDimY && a->blockDimZ == b->blockDimZ &&
	       a->sharedMemBytes == b->sharedMemBytes;
}

/* The next work in each stream comes after the work that is in all of the streams. */
static CUresult barrier(CUstream *streams, unsigned int count)
{
	struct sim_op *tails[MOST_DEVICES] = {0};
	CUresult result = CUDA_SUCCESS;
	unsigned int i, j;

	for (i = 0; i < count; i++)
		sim_op_set(&tails[i], streams[i]->tail);
	for (i = 0; i < count; i++)
		for (j = 0; j < count && result == CUDA_SUCCESS; j++)
			if (i != j)
				result = sim_stream_join(streams[i], tails[j]);
	for (i = 0; i < count; i++)
		sim_op_put(tails[i]);
	return result;
}

static CUresult submit_one(const CUDA_LAUNCH_PARAMS *one, CUstream stream)
{
	CUDA_KERNEL_NODE_PARAMS params = params_of(one);
	struct sim_kernel kernel;
	CUresult result = sim_launch_work(&params, NULL, 0, stream->context, true, &kernel);

	return result == CUDA_SUCCESS ? sim_stream_submit_kernel(stream, &kernel, false) : result;
}

static CUresult check_all(const CUDA_LAUNCH_PARAMS *list, CUstream *streams, unsigned int count)
{
	CUresult result = CUDA_SUCCESS;
	unsigned int i;

	for (i = 0; i < count && result == CUDA_SUCCESS; i++)
		result = has_same_shape(&list[0], &list[i]) ? check_one(&list[i], streams, i)
							    : CUDA_ERROR_INVALID_VALUE;
	return result;
}

/* What the tool says of each launch, before the first one is made. */
static CUresult notify_all(const CUDA_LAUNCH_PARAMS *list, CUstream *streams, unsigned int count,
			   struct sim_tool_thread *said)
{
	CUresult result = CUDA_SUCCESS;
	unsigned int i;

	for (i = 0; i < count && result == CUDA_SUCCESS; i++) {
		CUDA_KERNEL_NODE_PARAMS params = params_of(&list[i]);

		result = sim_tool()->launch(&params, NULL, 0, streams[i]);
		said[i] = *sim_tool_thread();
	}
	return result == CUDA_SUCCESS ? check_all(list, streams, count) : result;
}

CUresult sim_cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launchParamsList,
						  unsigned int numDevices, unsigned int flags)
{
	const unsigned int known = CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC |
				   CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC;
	struct sim_tool_thread said[MOST_DEVICES] = {0};
	CUstream streams[MOST_DEVICES];
	CUresult result;
	unsigned int i;

	if (!launchParamsList || !numDevices || numDevices > MOST_DEVICES || (flags & ~known))
		return CUDA_ERROR_INVALID_VALUE;
	result = check_all(launchParamsList, streams, numDevices);
	if (result == CUDA_SUCCESS && sim_tool())
		result = notify_all(launchParamsList, streams, numDevices, said);
	if (result == CUDA_SUCCESS &&
	    !(flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC))
		result = barrier(streams, numDevices);
	for (i = 0; i < numDevices && result == CUDA_SUCCESS; i++) {
		sim_tool_thread()->grid = said[i].grid;
		sim_tool_thread()->word = said[i].word;
		result = submit_one(&launchParamsList[i], streams[i]);
	}
	sim_tool_launched();
	if (result == CUDA_SUCCESS &&
	    !(flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC))
		result = barrier(streams, numDevices);
	return result;
}
