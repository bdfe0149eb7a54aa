/* The stream functions of the API. */
#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/capture.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/schedule/schedule.h"
#include "simulator/driver/stream/stream.h"
#include "simulator/driver/context/thread.h"

#define LEAST_PRIORITY	  0
#define GREATEST_PRIORITY (-5)

/* Priorities outside the range are clamped, as documented. */
CUresult sim_cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
	if (!phStream || (flags & ~(unsigned int)CU_STREAM_NON_BLOCKING))
		return CUDA_ERROR_INVALID_VALUE;
	if (priority > LEAST_PRIORITY)
		priority = LEAST_PRIORITY;
	if (priority < GREATEST_PRIORITY)
		priority = GREATEST_PRIORITY;
	*phStream = sim_stream_new(sim_thread_context(), flags, priority);
	return *phStream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
	return sim_cuStreamCreateWithPriority(phStream, Flags, 0);
}

CUresult sim_cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
	if (leastPriority)
		*leastPriority = LEAST_PRIORITY;
	if (greatestPriority)
		*greatestPriority = GREATEST_PRIORITY;
	return CUDA_SUCCESS;
}

/* Returns at once; what is pending still runs (S-8). */
CUresult sim_cuStreamDestroy_v2(CUstream hStream)
{
	if (!sim_handle_use(hStream, SIM_KIND_STREAM) || hStream->is_legacy)
		return CUDA_ERROR_INVALID_HANDLE;
	if (hStream->capture && hStream->capture->origin == hStream)
		sim_capture_break(hStream, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
	sim_handle_remove(hStream);
	sim_stream_retire(hStream);
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamSynchronize(CUstream hStream)
{
	CUstream stream;
	CUresult result = sim_stream_get(hStream, &stream);

	if (result == CUDA_SUCCESS)
		result = sim_capture_check_wait(stream);
	return result == CUDA_SUCCESS ? sim_stream_wait(stream) : result;
}

/* Is there unfinished work that a sync of this stream would wait for? Demands it if asked to. */
static bool is_busy(CUstream stream, bool demand)
{
	bool busy = !sim_op_is_done(stream->tail);
	CUstream other;

	if (busy && demand)
		sim_schedule_demand(stream->tail);
	if (!stream->is_legacy)
		return busy;
	for (other = stream->context->streams; other; other = other->next) {
		if (!sim_stream_is_blocking(other) || sim_op_is_done(other->tail))
			continue;
		busy = true;
		if (demand)
			sim_schedule_demand(other->tail);
	}
	return busy;
}

CUresult sim_cuStreamQuery(CUstream hStream)
{
	CUstream stream;
	CUresult result = sim_stream_get(hStream, &stream);

	if (result == CUDA_SUCCESS)
		result = sim_capture_check_wait(stream);
	if (result != CUDA_SUCCESS)
		return result;
	if (is_busy(stream, ++stream->refusals >= SIM_PATIENCE)) {
		sim_schedule_asked();
		return CUDA_ERROR_NOT_READY;
	}
	stream->refusals = 0;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamGetPriority(CUstream hStream, int *priority)
{
	CUstream stream;
	CUresult result = sim_stream_get(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!priority)
		return CUDA_ERROR_INVALID_VALUE;
	*priority = stream->priority;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
	CUstream stream;
	CUresult result = sim_stream_get(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = stream->flags;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamGetId(CUstream hStream, unsigned long long *streamId)
{
	CUstream stream;
	CUresult result = sim_stream_get(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!streamId)
		return CUDA_ERROR_INVALID_VALUE;
	*streamId = stream->id;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamGetDevice(CUstream hStream, CUdevice *device)
{
	CUstream stream;
	CUresult result = sim_stream_get(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	*device = stream->context->device->ordinal;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
	CUstream stream;
	CUresult result = sim_stream_get(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!pctx)
		return CUDA_ERROR_INVALID_VALUE;
	*pctx = stream->context;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx)
{
	if (pGreenCtx)
		*pGreenCtx = NULL;
	return sim_cuStreamGetCtx(hStream, pCtx);
}

/* Attributes that are hints only (S-10, S-11); NULL: it is none. */
static CUstreamAttrValue *hint_of(CUstream stream, CUstreamAttrID attr)
{
	switch ((int)attr) {
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW: return &stream->hints[SIM_STREAM_WINDOW];
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: return &stream->hints[SIM_STREAM_DOMAIN];
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: return &stream->hints[SIM_STREAM_DOMAIN_MAP];
	}
	return NULL;
}

CUresult sim_cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value)
{
	CUstream stream;
	CUresult result = sim_stream_get(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	memset(value, 0, sizeof(*value));
	switch ((int)attr) {
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
		value->syncPolicy = stream->sync_policy;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PRIORITY: value->priority = stream->priority; return CUDA_SUCCESS;
	}
	if (!hint_of(stream, attr))
		return CUDA_ERROR_INVALID_VALUE;
	*value = *hint_of(stream, attr);
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr,
				  const CUstreamAttrValue *value)
{
	CUstream stream;
	CUresult result = sim_stream_get(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	switch ((int)attr) {
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
		stream->sync_policy = value->syncPolicy;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PRIORITY: stream->priority = value->priority; return CUDA_SUCCESS;
	}
	if (!hint_of(stream, attr))
		return CUDA_ERROR_INVALID_VALUE;
	*hint_of(stream, attr) = *value;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamCopyAttributes(CUstream dst, CUstream src)
{
	CUstream to, from;
	CUresult result = sim_stream_get(dst, &to);

	if (result == CUDA_SUCCESS)
		result = sim_stream_get(src, &from);
	if (result != CUDA_SUCCESS)
		return result;
	to->sync_policy = from->sync_policy;
	to->priority = from->priority;
	memcpy(to->hints, from->hints, sizeof(to->hints));
	return CUDA_SUCCESS;
}

/*
 * With concurrentManagedAccess 1 attaching restricts nothing (M-7), but it is an op of its stream
 * and is not allowed in a capture (G-4).
 */
CUresult sim_cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length,
				    unsigned int flags)
{
	struct sim_alloc *alloc = sim_memory_find(dptr);
	CUstream stream;
	CUresult result = sim_stream_get_for_work(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (stream->capture)
		return sim_capture_break(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
	    flags != CU_MEM_ATTACH_SINGLE)
		return CUDA_ERROR_INVALID_VALUE;
	if (flags == CU_MEM_ATTACH_SINGLE && stream->is_legacy)
		return CUDA_ERROR_INVALID_VALUE;
	if (!alloc || alloc->place != SIM_PLACE_MANAGED || alloc->base != dptr ||
	    (length && length != alloc->size_bytes))
		return CUDA_ERROR_INVALID_VALUE;
	return sim_stream_join(stream, NULL);
}
