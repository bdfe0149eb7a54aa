/* Host functions and stream callbacks (rules C-1 to C-10). */
#include "simulator/driver/api.h"
#include "simulator/driver/graph/capture.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/graph/graph_capture.h"
#include "simulator/driver/stream/stream.h"

CUresult sim_cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
	struct sim_work work = {.kind = SIM_WORK_HOST, .host = {.fn = fn, .data = userData}};
	CUstream stream;
	CUresult result = sim_stream_get_for_work(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!fn)
		return CUDA_ERROR_INVALID_VALUE;
	if (stream->capture)
		return sim_graph_capture_host(stream, fn, userData);
	return sim_stream_submit(stream, &work);
}

/* How a host waits inside of the driver makes no difference here. */
CUresult sim_cuLaunchHostFunc_v2(CUstream hStream, CUhostFn fn, void *userData,
				 unsigned int syncMode)
{
	if (syncMode > CU_HOST_TASK_SPINWAIT)
		return CUDA_ERROR_INVALID_VALUE;
	return sim_cuLaunchHostFunc(hStream, fn, userData);
}

/* Gets the caller's handle back as its first argument; not allowed in a capture (C-7). */
CUresult sim_cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
				 unsigned int flags)
{
	struct sim_work work = {
		.kind = SIM_WORK_HOST,
		.host = {.callback = callback, .stream = hStream, .data = userData}};
	CUstream stream;
	CUresult result = sim_stream_get_for_work(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!callback || flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (stream->capture)
		return sim_capture_break(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	return sim_stream_submit(stream, &work);
}
