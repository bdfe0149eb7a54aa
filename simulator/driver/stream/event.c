/* Recording events, and waiting for what they captured. */
#include "simulator/driver/stream/event.h"

#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/capture.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/graph/graph_capture.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/schedule/schedule.h"
#include "simulator/driver/ipc/shared_event.h"
#include "simulator/driver/stream/stream.h"
#include "simulator/driver/context/thread.h"

#define KNOWN_FLAGS (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS)

CUresult sim_event_new(CUevent *event, unsigned int flags, struct sim_shared_event *shared)
{
	if ((flags & CU_EVENT_INTERPROCESS) && !shared)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*event = sim_handle_new(SIM_KIND_EVENT, sizeof(**event));
	if (!*event) {
		sim_shared_event_free(shared);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	(*event)->context = sim_thread_context();
	(*event)->flags = flags;
	(*event)->shared = shared;
	return CUDA_SUCCESS;
}

CUresult sim_cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
	if (!phEvent || (Flags & ~(unsigned int)KNOWN_FLAGS))
		return CUDA_ERROR_INVALID_VALUE;
	if ((Flags & CU_EVENT_INTERPROCESS) && !(Flags & CU_EVENT_DISABLE_TIMING))
		return CUDA_ERROR_INVALID_VALUE;
	return sim_event_new(phEvent, Flags,
			     Flags & CU_EVENT_INTERPROCESS ? sim_shared_event_new() : NULL);
}

static CUresult get_event(CUevent event)
{
	if (!sim_handle_use(event, SIM_KIND_EVENT))
		return CUDA_ERROR_INVALID_HANDLE;
	return sim_context_check(event->context);
}

/* Waits that were enqueued hold the recorded op themselves (E-7). */
CUresult sim_cuEventDestroy_v2(CUevent hEvent)
{
	if (!sim_handle_use(hEvent, SIM_KIND_EVENT))
		return CUDA_ERROR_INVALID_HANDLE;
	sim_handle_remove(hEvent);
	sim_op_put(hEvent->record);
	sim_shared_event_free(hEvent->shared);
	sim_edges_fini(&hEvent->heads);
	free(hEvent);
	return CUDA_SUCCESS;
}

void sim_event_set_record(CUevent event, struct sim_op *op)
{
	sim_op_set(&event->record, op);
	event->refusals = 0;
	event->capture_id = 0;
}

struct sim_work sim_event_record_work(CUevent event)
{
	if (event->shared)
		return sim_shared_event_record(event->shared);
	return (struct sim_work){.kind = SIM_WORK_EMPTY};
}

/* The op that ends with the last record, counted; NULL: there is nothing to wait for. A record of
 * another process is waited for by an op of its own, in no stream. */
static CUresult last_record(CUevent event, struct sim_op **op)
{
	struct sim_work work;

	*op = event->record;
	if (!event->shared || sim_shared_event_is_own(event->shared)) {
		if (*op)
			sim_op_get(*op);
		return CUDA_SUCCESS;
	}
	*op = NULL;
	if (!sim_shared_event_is_awaited(event->shared))
		return CUDA_SUCCESS;
	work = sim_shared_event_wait(event->shared);
	*op = sim_op_new(event->context, &work);
	if (*op)
		sim_schedule_submit(*op);
	else
		sim_work_release(&work);
	return *op ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

bool sim_event_follow(struct sim_op *op, CUevent event)
{
	struct sim_op *record;
	bool done = last_record(event, &record) == CUDA_SUCCESS && sim_op_after(op, record);

	sim_op_put(record);
	return done;
}

static bool is_complete(CUevent event)
{
	if (event->shared && !sim_shared_event_is_own(event->shared))
		return !sim_shared_event_is_awaited(event->shared);
	return sim_op_is_done(event->record);
}

/* A record in a capturing stream stands for nodes, mostly the stream's heads (E-13). */
static CUresult record_captured(CUevent event, CUstream stream, const struct sim_edges *heads)
{
	if (!sim_edges_set(&event->heads, heads->nodes, heads->data, heads->count))
		return CUDA_ERROR_OUT_OF_MEMORY;
	event->capture_id = stream->capture->id;
	return CUDA_SUCCESS;
}

CUresult sim_event_capture_launch(CUevent event, CUstream stream, unsigned char port)
{
	CUgraphEdgeData data = {.from_port = port, .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC};

	return record_captured(event, stream, &(struct sim_edges){&stream->kernel_head, &data, 1});
}

/* A record is an op of its stream (E-1); in the legacy stream it is a barrier. */
static CUresult record_in(CUevent event, CUstream stream)
{
	struct sim_work work = sim_event_record_work(event);
	struct sim_op *op = sim_stream_prepare(stream, &work);

	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	sim_event_set_record(event, op);
	sim_stream_commit(stream, op);
	return CUDA_SUCCESS;
}

CUresult sim_cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
	CUstream stream;
	CUresult result = get_event(hEvent);

	if (result == CUDA_SUCCESS)
		result = sim_stream_get_for_work(hStream, &stream);
	if (result != CUDA_SUCCESS)
		return result;
	if (flags & ~(unsigned int)CU_EVENT_RECORD_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	if (sim_context_home(hEvent->context) != sim_context_home(stream->context))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!stream->capture)
		return flags ? CUDA_ERROR_INVALID_VALUE : record_in(hEvent, stream);
	if (flags)
		return sim_graph_capture_event(stream, CU_GRAPH_NODE_TYPE_EVENT_RECORD, hEvent);
	return record_captured(hEvent, stream, &stream->heads);
}

CUresult sim_cuEventRecord(CUevent hEvent, CUstream hStream)
{
	return sim_cuEventRecordWithFlags(hEvent, hStream, CU_EVENT_RECORD_DEFAULT);
}

/* E-13: a captured event is no completion point; asking for one breaks its capture (G-4). */
static CUresult check_captured(CUevent event)
{
	if (!event->capture_id)
		return CUDA_SUCCESS;
	sim_capture_break_id(event->capture_id, CUDA_ERROR_CAPTURED_EVENT);
	return CUDA_ERROR_CAPTURED_EVENT;
}

CUresult sim_cuEventQuery(CUevent hEvent)
{
	CUresult result = get_event(hEvent);

	if (result == CUDA_SUCCESS)
		result = check_captured(hEvent);
	if (result != CUDA_SUCCESS || is_complete(hEvent))
		return result;
	if (++hEvent->refusals >= SIM_PATIENCE)
		sim_schedule_demand(hEvent->record);
	sim_schedule_asked();
	return CUDA_ERROR_NOT_READY;
}

CUresult sim_cuEventSynchronize(CUevent hEvent)
{
	CUcontext context;
	struct sim_op *record = NULL;
	CUresult result = get_event(hEvent);

	if (result == CUDA_SUCCESS)
		result = check_captured(hEvent);
	if (result == CUDA_SUCCESS)
		result = last_record(hEvent, &record);
	if (result != CUDA_SUCCESS)
		return result;
	context = hEvent->context;
	hEvent->refusals = 0;
	sim_schedule_wait(record);
	sim_op_put(record);
	result = context->error;
	sim_context_print(context);
	return result;
}

/* E-10 */
CUresult sim_cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
	CUresult result = get_event(hStart);

	if (result == CUDA_SUCCESS)
		result = get_event(hEnd);
	if (result == CUDA_SUCCESS)
		result = check_captured(hStart);
	if (result == CUDA_SUCCESS)
		result = check_captured(hEnd);
	if (result != CUDA_SUCCESS)
		return result;
	if (!pMilliseconds)
		return CUDA_ERROR_INVALID_VALUE;
	if (!hStart->record || !hEnd->record ||
	    ((hStart->flags | hEnd->flags) & CU_EVENT_DISABLE_TIMING) ||
	    hStart->context->device != hEnd->context->device)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!sim_op_is_done(hStart->record) || !sim_op_is_done(hEnd->record))
		return CUDA_ERROR_NOT_READY;
	*pMilliseconds =
		(float)((double)(int64_t)(hEnd->record->done_ns - hStart->record->done_ns) / 1e6);
	return CUDA_SUCCESS;
}

CUresult sim_cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
	return sim_cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd);
}

/* A wait in a capture, or one that draws its stream into a capture (G-3). */
static CUresult wait_captured(CUstream stream, CUevent event, unsigned int flags)
{
	if (flags == CU_EVENT_WAIT_EXTERNAL)
		return sim_graph_capture_event(stream, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
	if (!event->capture_id)
		return sim_capture_break(stream, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
	if (stream->capture->id != event->capture_id)
		return sim_capture_break(stream, CUDA_ERROR_STREAM_CAPTURE_MERGE);
	return sim_capture_add_heads(stream, &event->heads);
}

static CUresult join(CUstream stream, CUevent event)
{
	struct sim_op *record;
	CUresult result = last_record(event, &record);

	if (result == CUDA_SUCCESS)
		result = sim_stream_join(stream, record);
	sim_op_put(record);
	return result;
}

/* E-4: binds to the record that is the last one at this call. */
CUresult sim_cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
	CUstream stream;
	CUresult result = sim_stream_get_for_work(hStream, &stream);

	if (result == CUDA_SUCCESS)
		result = get_event(hEvent);
	if (result != CUDA_SUCCESS)
		return result;
	if (Flags & ~(unsigned int)CU_EVENT_WAIT_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	if (stream->capture)
		return wait_captured(stream, hEvent, Flags);
	if (Flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (hEvent->capture_id)
		return sim_capture_fork(stream, hEvent->capture_id, &hEvent->heads);
	return join(stream, hEvent);
}

static bool follow(CUstream stream, void *op)
{
	return sim_op_after(op, stream->tail);
}

static CUresult context_for_event(CUcontext handle, CUevent event, CUcontext *context)
{
	CUresult result;

	*context = handle ? handle : sim_thread_context();
	result = sim_context_check(*context);
	if (result == CUDA_SUCCESS)
		result = get_event(event);
	return result == CUDA_SUCCESS ? sim_capture_check_context(*context) : result;
}

CUresult sim_event_record_all(CUcontext handle, uint64_t green, CUevent event)
{
	CUcontext context;
	struct sim_work work;
	struct sim_op *op;
	CUresult result = context_for_event(handle, event, &context);

	if (result != CUDA_SUCCESS)
		return result;
	if (sim_context_home(event->context) != sim_context_home(context))
		return CUDA_ERROR_INVALID_HANDLE;
	work = sim_event_record_work(event);
	op = sim_op_new(context, &work);
	if (!op || !sim_stream_visit(context, green, follow, op)) {
		if (op)
			sim_op_abandon(op);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	sim_event_set_record(event, op);
	sim_schedule_submit(op);
	sim_op_put(op);
	return CUDA_SUCCESS;
}

static bool hold(CUstream stream, void *event)
{
	return join(stream, event) == CUDA_SUCCESS;
}

CUresult sim_event_hold_all(CUcontext handle, uint64_t green, CUevent event)
{
	CUcontext context;
	CUresult result = context_for_event(handle, event, &context);

	if (result == CUDA_SUCCESS && event->capture_id)
		result = CUDA_ERROR_CAPTURED_EVENT;
	if (result != CUDA_SUCCESS)
		return result;
	return sim_stream_visit(context, green, hold, event) ? CUDA_SUCCESS
							     : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent)
{
	return sim_event_record_all(hCtx, 0, hEvent);
}

CUresult sim_cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent)
{
	return sim_event_hold_all(hCtx, 0, hEvent);
}
