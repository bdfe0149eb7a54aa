/* Enqueuing into streams and waiting for them. */
#include "simulator/driver/stream/stream.h"

#include <stdlib.h>

#include "simulator/driver/graph/capture.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/kernel/execute.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/schedule/pair.h"
#include "simulator/driver/memory/pool.h"
#include "simulator/driver/schedule/schedule.h"
#include "simulator/driver/context/thread.h"

/* Beyond this many waiting ops a device must make progress, or launches would block. */
#define QUEUE_LIMIT 1024

static CUstream spares; /* owned; linked by `next`: a handle comes back with the next creation */

void sim_stream_free(CUstream stream)
{
	sim_capture_forget_stream(stream);
	sim_handle_remove(stream);
	sim_op_put(stream->tail);
	sim_op_put(stream->before_kernel);
	sim_edges_fini(&stream->heads);
	*stream = (struct CUstream_st){.next = spares};
	spares = stream;
}

static CUstream take(void)
{
	CUstream stream = spares;

	if (!stream || !sim_handle_add(stream, SIM_KIND_STREAM))
		return sim_handle_new(SIM_KIND_STREAM, sizeof(*stream));
	spares = stream->next;
	stream->next = NULL;
	return stream;
}

/* A capture asks for the nodes of the streams that it was forked into, until it ends. */
static bool is_needed(CUstream stream)
{
	return !stream->is_destroyed || !sim_op_is_done(stream->tail) ||
	       (stream->capture && stream->capture->origin != stream);
}

static void free_listed(CUstream stream)
{
	*stream->at = stream->next;
	if (stream->next)
		stream->next->at = stream->at;
	sim_stream_free(stream);
}

/* Frees the destroyed streams of a context whose work is done. */
static void sweep(CUcontext context)
{
	CUstream stream, next;

	for (stream = context->streams; stream && context->retired; stream = next) {
		next = stream->next;
		if (is_needed(stream))
			continue;
		free_listed(stream);
		context->retired--;
	}
}

CUstream sim_stream_new(CUcontext context, unsigned int flags, int priority)
{
	CUstream stream;

	sweep(context);
	stream = take();
	if (!stream)
		return NULL;
	stream->context = context;
	stream->id = sim_next_id();
	stream->flags = flags;
	stream->priority = priority;
	stream->hints[SIM_STREAM_DOMAIN_MAP].memSyncDomainMap.remote = 1;
	stream->green = context->green;
	stream->next = context->streams;
	stream->at = &context->streams;
	if (stream->next)
		stream->next->at = &stream->next;
	context->streams = stream;
	return stream;
}

void sim_stream_retire(CUstream stream)
{
	CUcontext context = stream->context;

	stream->is_destroyed = true;
	if (is_needed(stream))
		context->retired++;
	else
		free_listed(stream);
	sweep(context);
}

/* The caller's own stream of its current context, made on first use (S-5). */
static CUresult per_thread_stream(CUcontext context, CUstream *stream)
{
	uint64_t owner = sim_thread_self()->id;

	for (*stream = context->streams; *stream; *stream = (*stream)->next)
		if ((*stream)->owner == owner && !(*stream)->is_destroyed)
			return CUDA_SUCCESS;
	*stream = sim_stream_new(context, 0, 0);
	if (!*stream)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*stream)->owner = owner;
	return CUDA_SUCCESS;
}

static CUresult default_stream(bool per_thread, CUstream *stream)
{
	CUcontext context = sim_thread_context();
	CUresult result = sim_context_check(context);

	if (result != CUDA_SUCCESS)
		return result;
	if (per_thread && context->base) /* S-9 */
		return CUDA_ERROR_INVALID_HANDLE;
	if (per_thread)
		return per_thread_stream(context, stream);
	*stream = context->legacy;
	return CUDA_SUCCESS;
}

CUresult sim_stream_get(CUstream handle, CUstream *stream)
{
	if (!handle)
		return default_stream(sim_thread_self()->per_thread, stream);
	if (handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD)
		return default_stream(handle == CU_STREAM_PER_THREAD, stream);
	if (!sim_handle_use(handle, SIM_KIND_STREAM))
		return CUDA_ERROR_INVALID_HANDLE;
	*stream = handle;
	return sim_context_check(handle->context);
}

CUresult sim_stream_get_for_work(CUstream handle, CUstream *stream)
{
	CUresult result = sim_stream_get(handle, stream);

	return result != CUDA_SUCCESS ? result : sim_capture_check_work(*stream);
}

bool sim_stream_follow_blocking(struct sim_op *op, CUcontext context)
{
	CUstream other;

	for (other = context->streams; other; other = other->next)
		if (sim_stream_is_blocking(other) && !sim_op_after(op, other->tail))
			return false;
	return sim_op_after(op, context->legacy->tail);
}

/* Rules S-1 and S-3. */
static bool order(CUstream stream, struct sim_op *op, struct sim_op *before)
{
	if (!sim_op_after(op, before))
		return false;
	if (stream->is_legacy)
		return sim_stream_follow_blocking(op, stream->context);
	return !sim_stream_is_blocking(stream) || sim_op_after(op, stream->context->legacy->tail);
}

static struct sim_op *prepare_behind(CUstream stream, const struct sim_work *work,
				     struct sim_op *before)
{
	struct sim_op *op = sim_op_new(stream->context, work);

	if (!op) {
		struct sim_work dropped = *work;

		sim_work_release(&dropped);
		return NULL;
	}
	op->priority = stream->priority;
	op->stream_id = stream->id;
	op->index = stream->op_count++;
	if (work->kind != SIM_WORK_EMPTY)
		op->number = ++stream->work_count;
	if (order(stream, op, before))
		return op;
	sim_op_abandon(op);
	return NULL;
}

struct sim_op *sim_stream_prepare(CUstream stream, const struct sim_work *work)
{
	return prepare_behind(stream, work, stream->tail);
}

void sim_stream_commit(CUstream stream, struct sim_op *op)
{
	sim_op_set(&stream->tail, op);
	sim_schedule_submit(op);
	if (stream->op_count % QUEUE_LIMIT == 0)
		sim_schedule_demand(op);
	sim_op_put(op);
}

CUresult sim_stream_submit(CUstream stream, const struct sim_work *work)
{
	struct sim_op *op = sim_stream_prepare(stream, work);

	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	sim_stream_commit(stream, op);
	return CUDA_SUCCESS;
}

CUresult sim_stream_join(CUstream stream, struct sim_op *joined)
{
	struct sim_work nothing = {.kind = SIM_WORK_EMPTY};
	struct sim_op *op = sim_stream_prepare(stream, &nothing);

	if (op && !sim_op_after(op, joined)) {
		sim_op_abandon(op);
		op = NULL;
	}
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	sim_stream_commit(stream, op);
	return CUDA_SUCCESS;
}

static CUresult overlap(CUstream stream, const struct sim_work *work)
{
	struct sim_op *op = prepare_behind(stream, work, stream->before_kernel);
	CUresult result;

	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	sim_schedule_submit(op);
	result = sim_stream_join(stream, op);
	sim_op_put(op);
	return result;
}

CUresult sim_stream_submit_kernel(CUstream stream, const struct sim_kernel *kernel,
				  bool may_overlap)
{
	struct sim_work work = {.kind = SIM_WORK_KERNEL, .kernel = *kernel};
	bool overlaps = may_overlap && !sim_run_waits(kernel->run) &&
			stream->kernel_count == stream->op_count &&
			(sim_schedule_may_defer(stream->id ^ (stream->op_count << 20)) ||
			 sim_pair_begins_early(stream->id, stream->work_count + 1));
	CUresult result;

	if (overlaps) {
		result = overlap(stream, &work);
	} else {
		sim_op_set(&stream->before_kernel, stream->tail);
		result = sim_stream_submit(stream, &work);
	}
	stream->kernel_count = stream->op_count;
	return result;
}

/* After the host has waited. */
static CUresult synchronized(CUcontext context)
{
	CUresult result = context->error;

	sim_pool_synchronized(context->device);
	sim_context_print(context);
	return result;
}

/* Waits for one op after the other, as of now: later work does not count (H-1). */
static CUresult wait_for(CUcontext context, struct sim_op **ops, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		sim_schedule_demand(ops[i]);
	for (i = 0; i < count; i++) {
		sim_schedule_wait(ops[i]);
		sim_op_put(ops[i]);
	}
	free(ops);
	return synchronized(context);
}

static bool visit_one(CUcontext context, uint64_t green, bool (*visit)(CUstream, void *),
		      void *data)
{
	CUstream stream;

	for (stream = context->streams; stream; stream = stream->next)
		if ((!green || stream->green == green) && !visit(stream, data))
			return false;
	return (green && context->legacy->green != green) || visit(context->legacy, data);
}

bool sim_stream_visit(CUcontext context, uint64_t green, bool (*visit)(CUstream, void *),
		      void *data)
{
	uint64_t meant = context->base ? context->green : green;
	CUcontext home = sim_context_home(context), other;

	if (!visit_one(context, meant, visit, data)) /* one that is about to end is in no list */
		return false;
	for (other = sim_context_first(); other; other = other->next)
		if (other != context && sim_context_home(other) == home &&
		    !visit_one(other, meant, visit, data))
			return false;
	return true;
}

/* What a host waits for. */
struct wanted {
	struct sim_op **ops; /* NULL: they are only counted */
	size_t count;
	bool is_blocking; /* blocking streams and the legacy one only */
};

static bool want(CUstream stream, void *data)
{
	struct wanted *w = data;

	if (w->is_blocking && !stream->is_legacy && !sim_stream_is_blocking(stream))
		return true;
	if (w->ops)
		sim_op_set(&w->ops[w->count], stream->tail);
	w->count++;
	return true;
}

static void want_all(CUcontext context, struct wanted *w)
{
	w->count = 0;
	if (w->is_blocking)
		visit_one(context, 0, want, w);
	else
		sim_stream_visit(context, 0, want, w);
}

static CUresult wait_for_many(CUcontext context, bool all)
{
	struct wanted w = {.is_blocking = !all};

	want_all(context, &w);
	w.ops = calloc(w.count + 1, sizeof(struct sim_op *));
	if (!w.ops)
		return CUDA_ERROR_OUT_OF_MEMORY;
	want_all(context, &w);
	return wait_for(context, w.ops, w.count);
}

CUresult sim_stream_wait(CUstream stream)
{
	CUcontext context = stream->context;

	stream->refusals = 0;
	if (stream->is_legacy)
		return wait_for_many(context, false);
	sim_schedule_wait(stream->tail);
	return synchronized(context);
}

CUresult sim_context_wait(CUcontext context)
{
	return wait_for_many(context, true);
}

static void release_threads_of(CUcontext context, uint64_t thread)
{
	CUstream stream;

	for (stream = context->streams; stream; stream = stream->next) {
		if (stream->owner != thread || stream->is_destroyed)
			continue;
		stream->is_destroyed = true;
		context->retired++;
	}
	sweep(context);
}

void sim_stream_release_thread(uint64_t thread)
{
	CUcontext context;

	for (context = sim_context_first(); context; context = context->next)
		release_threads_of(context, thread);
}
