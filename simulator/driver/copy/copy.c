/* Resolving copies and running them by the rules of their category. */
#include "simulator/driver/copy/copy.h"

#include <stdlib.h>
#include <string.h>

#include "simulator/driver/copy/array.h"
#include "simulator/driver/graph/capture.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/graph/graph_capture.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/schedule/schedule.h"
#include "simulator/driver/stream/stream.h"
#include "simulator/driver/context/thread.h"
#include "simulator/driver/schedule/pair.h"
#include "simulator/driver/memory/pool.h"

#define STAGED_BYTES	  65536
#define MOST_STAGED_BYTES ((size_t)64 << 20)

struct sim_copy_spec sim_copy_linear(uintptr_t dst, bool dst_is_device, uintptr_t src,
				     bool src_is_device, size_t size_bytes)
{
	return (struct sim_copy_spec){.dst = {.address = dst, .is_device = dst_is_device},
				      .src = {.address = src, .is_device = src_is_device},
				      .width_bytes = size_bytes,
				      .height = 1,
				      .depth = 1};
}

static bool is_host(enum sim_place place)
{
	return place <= SIM_PLACE_REGISTERED;
}

static bool is_pinned(enum sim_place place)
{
	return place == SIM_PLACE_PINNED || place == SIM_PLACE_REGISTERED;
}

static bool multiply(size_t a, size_t b, size_t *product)
{
	return !__builtin_mul_overflow(a, b, product);
}

static bool add(size_t a, size_t b, size_t *sum)
{
	return !__builtin_add_overflow(a, b, sum);
}

/* Bytes from the first to the last byte of the rows: the rows themselves may have holes. */
static bool extent_of(const struct sim_operand *operand, const struct sim_copy_spec *spec,
		      size_t *extent)
{
	size_t slices, rows;

	return multiply(spec->depth - 1, operand->slice_bytes, &slices) &&
	       multiply(spec->height - 1, operand->pitch_bytes, &rows) &&
	       add(slices, rows, &slices) && add(slices, spec->width_bytes, extent);
}

/* Offset of the first byte: ((z * height) + y) * pitch + x. */
static bool offset_of(const struct sim_side *side, const struct sim_operand *operand,
		      size_t *offset)
{
	size_t z, y;

	return multiply(side->z, operand->slice_bytes, &z) &&
	       multiply(side->y, operand->pitch_bytes, &y) && add(z, y, &z) &&
	       add(z, side->x_bytes, offset);
}

static CUresult resolve_array(const struct sim_side *side, const struct sim_copy_spec *spec,
			      struct sim_operand *operand)
{
	CUarray array = side->array;
	size_t offset;

	if (!sim_handle_is(array, SIM_KIND_ARRAY))
		return CUDA_ERROR_INVALID_HANDLE;
	if (side->x_bytes > array->row_bytes ||
	    spec->width_bytes > array->row_bytes - side->x_bytes || side->y > array->rows ||
	    spec->height > array->rows - side->y || side->z > array->slices ||
	    spec->depth > array->slices - side->z)
		return CUDA_ERROR_INVALID_VALUE;
	operand->place = SIM_PLACE_ARRAY;
	operand->pitch_bytes = array->row_bytes;
	operand->slice_bytes = array->row_bytes * array->rows;
	operand->alloc = array->alloc;
	sim_memory_get(operand->alloc);
	if (!offset_of(side, operand, &offset))
		return CUDA_ERROR_INVALID_VALUE;
	operand->bytes = array->alloc->backing->bytes + offset;
	return CUDA_SUCCESS;
}

/* M-11, as a driver of 2026 has it. */
static bool is_read_only(const struct sim_alloc *alloc)
{
	return alloc->place == SIM_PLACE_REGISTERED &&
	       (alloc->flags & CU_MEMHOSTREGISTER_READ_ONLY);
}

/* P-9: what the current device may not touch, a copy that names no devices may not. */
static bool is_out_of_reach(const struct sim_copy_spec *spec, const struct sim_alloc *alloc)
{
	CUcontext current = sim_thread_context();

	return alloc && alloc->pool && alloc->place == SIM_PLACE_DEVICE && !spec->is_peer &&
	       current && !alloc->pool->access[current->device->ordinal];
}

/* A range must lie in one allocation, or in pageable memory as a whole (4.1). */
static CUresult resolve_range(uintptr_t address, size_t size, bool is_device, bool is_write,
			      struct sim_operand *operand)
{
	struct sim_alloc *alloc = sim_memory_find(address);

	operand->address = address;
	if (!alloc) {
		operand->place = SIM_PLACE_PAGEABLE;
		if (is_device || !address || sim_memory_overlaps(address, size))
			return CUDA_ERROR_INVALID_VALUE;
		return CUDA_SUCCESS;
	}
	if (!sim_memory_covers(alloc, address, size, is_write) || (is_write && is_read_only(alloc)))
		return CUDA_ERROR_INVALID_VALUE;
	operand->place = alloc->place;
	operand->alloc = alloc;
	sim_memory_get(alloc);
	operand->bytes = sim_memory_bytes(alloc, address);
	return CUDA_SUCCESS;
}

static CUresult resolve_linear(const struct sim_side *side, const struct sim_copy_spec *spec,
			       bool is_write, struct sim_operand *operand)
{
	size_t offset, size, rows = side->height ? side->height : spec->height;

	operand->pitch_bytes = side->pitch_bytes ? side->pitch_bytes : spec->width_bytes;
	if (operand->pitch_bytes < spec->width_bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (!multiply(operand->pitch_bytes, rows, &operand->slice_bytes) ||
	    !offset_of(side, operand, &offset) || !extent_of(operand, spec, &size))
		return CUDA_ERROR_INVALID_VALUE;
	return resolve_range(side->address + offset, size, side->is_device, is_write, operand);
}

static CUresult resolve_side(const struct sim_side *side, const struct sim_copy_spec *spec,
			     bool is_write, struct sim_operand *operand)
{
	CUresult result;

	if (side->array)
		return resolve_array(side, spec, operand);
	result = resolve_linear(side, spec, is_write, operand);
	return result == CUDA_SUCCESS && is_out_of_reach(spec, operand->alloc)
		       ? CUDA_ERROR_INVALID_VALUE
		       : result;
}

static bool is_empty(const struct sim_copy_spec *spec)
{
	return !spec->width_bytes || !spec->height || !spec->depth;
}

static const struct sim_alloc *locked_memory(const struct sim_side *side)
{
	const struct sim_alloc *alloc = side->array ? NULL : sim_memory_find(side->address);

	return alloc && is_pinned(alloc->place) ? alloc : NULL;
}

static void keep_locked(struct sim_side *side)
{
	const struct sim_alloc *alloc = locked_memory(side);

	side->locked = alloc ? alloc->id : 0;
}

void sim_copy_keep_locked(struct sim_copy_spec *spec)
{
	keep_locked(&spec->dst);
	keep_locked(&spec->src);
}

static bool is_gone(const struct sim_side *side)
{
	const struct sim_alloc *alloc = side->locked ? locked_memory(side) : NULL;

	return side->locked && (!alloc || alloc->id != side->locked);
}

CUresult sim_copy_resolve(const struct sim_copy_spec *spec, struct sim_copy *copy)
{
	CUresult result;

	*copy = (struct sim_copy){
		.width_bytes = spec->width_bytes, .height = spec->height, .depth = spec->depth};
	copy->is_gone = is_gone(&spec->dst) || is_gone(&spec->src);
	if (is_empty(spec)) /* no access, but still an op of its stream (4.7) */
		return CUDA_SUCCESS;
	result = resolve_side(&spec->dst, spec, true, &copy->dst);
	if (result == CUDA_SUCCESS)
		result = resolve_side(&spec->src, spec, false, &copy->src);
	if (result != CUDA_SUCCESS) {
		sim_memory_put(copy->dst.alloc);
		sim_memory_put(copy->src.alloc);
	}
	return result;
}

/* Resolves one copy; a source that may be read only during the call is read now. */
static CUresult resolve_in_order(const struct sim_copy_spec *spec, CUmemcpySrcAccessOrder order,
				 struct sim_copy *copy)
{
	CUresult result = sim_copy_resolve(spec, copy);

	if (result != CUDA_SUCCESS || !spec->width_bytes)
		return result;
	if (order != CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL ||
	    copy->src.place > SIM_PLACE_REGISTERED)
		return CUDA_SUCCESS;
	return sim_work_stage(copy) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult append_copy(struct sim_work *work, struct sim_copy copy)
{
	struct sim_copy *more = malloc(sizeof(*more));
	struct sim_work dropped = {.kind = SIM_WORK_COPY, .copy = copy};

	if (!more) {
		sim_work_release(&dropped);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*more = copy;
	more->next = work->copy.next;
	work->copy.next = more;
	return CUDA_SUCCESS;
}

CUresult sim_copy_gather(const struct sim_copy_spec *specs, const CUmemcpySrcAccessOrder *orders,
			 size_t count, struct sim_work *work, size_t *failed)
{
	CUresult result = CUDA_SUCCESS;
	struct sim_copy copy;
	size_t i;

	*work = (struct sim_work){.kind = SIM_WORK_COPY};
	for (i = 0; i < count && result == CUDA_SUCCESS; i++) {
		*failed = i;
		result = resolve_in_order(
			&specs[i], orders ? orders[i] : CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, &copy);
		if (result == CUDA_SUCCESS)
			result = append_copy(work, copy);
	}
	if (result != CUDA_SUCCESS)
		sim_work_release(work);
	return result;
}

static size_t total_bytes(const struct sim_copy *copy)
{
	return copy->width_bytes * copy->height * copy->depth;
}

static bool syncs_memops(const struct sim_copy *copy, CUcontext context)
{
	return (context->flags & CU_CTX_SYNC_MEMOPS) ||
	       (copy->dst.alloc && copy->dst.alloc->sync_memops) ||
	       (copy->src.alloc && copy->src.alloc->sync_memops);
}

/* Must the host wait for a copy of the synchronous category? Rules C-S1 to C-S8. */
static bool waits_when_sync(const struct sim_copy_spec *spec, const struct sim_copy *copy,
			    CUcontext context)
{
	bool touches_host = is_host(copy->dst.place) || is_host(copy->src.place);

	if (syncs_memops(copy, context))
		return true;
	if (is_empty(spec) || !touches_host)
		return false;
	if (is_host(copy->dst.place) || is_pinned(copy->src.place))
		return true;
	return !copy->staged;
}

/* C-S6 and D-2: a copy between contexts is a barrier in each of them. */
static CUresult follow_context(struct sim_op *op, CUcontext context, CUcontext current)
{
	if (!context || context == current)
		return CUDA_SUCCESS;
	return sim_stream_follow_blocking(op, context) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static void hold_back_context(struct sim_op *op, CUcontext context, CUcontext current)
{
	if (context && context != current)
		sim_stream_join(context->legacy, op);
}

/* The primary context of the device that holds an operand of another device. */
static CUcontext context_of(const struct sim_operand *operand, const struct sim_side *side)
{
	if (side->context)
		return sim_context_home(side->context);
	if (!operand->alloc || !operand->alloc->device)
		return NULL;
	if (operand->alloc->context)
		return sim_context_home(operand->alloc->context);
	return sim_handle_is(operand->alloc->device->primary, SIM_KIND_CONTEXT)
		       ? operand->alloc->device->primary
		       : NULL;
}

static CUresult enqueue_sync(const struct sim_copy_spec *spec, struct sim_copy *copy,
			     CUstream stream)
{
	struct sim_work work = {.kind = SIM_WORK_COPY, .copy = *copy};
	CUcontext dst = context_of(&copy->dst, &spec->dst);
	CUcontext src = context_of(&copy->src, &spec->src);
	CUcontext home = sim_context_home(stream->context);
	bool crosses = dst && src && (dst != home || src != home);
	bool waits = waits_when_sync(spec, copy, stream->context);
	struct sim_op *op = sim_stream_prepare(stream, &work);
	CUresult result = CUDA_SUCCESS;

	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (crosses) {
		follow_context(op, dst, home);
		follow_context(op, src, home);
	}
	sim_op_get(op);
	sim_stream_commit(stream, op);
	if (crosses) {
		hold_back_context(op, dst, home);
		hold_back_context(op, src, home);
	}
	if (waits) {
		sim_schedule_wait(op);
		result = stream->context->error;
		sim_context_print(stream->context);
	}
	sim_op_put(op);
	return result;
}

CUresult sim_copy_sync(const struct sim_copy_spec *spec)
{
	CUstream stream;
	struct sim_copy copy;
	CUresult result = sim_stream_get(NULL, &stream);

	if (result == CUDA_SUCCESS)
		result = sim_capture_check_wait(stream);
	if (result == CUDA_SUCCESS)
		result = sim_copy_resolve(spec, &copy);
	if (result != CUDA_SUCCESS)
		return result;
	/* C-S1: the stream first, then the source by the caller's own loads, the rest later. */
	if (copy.src.place == SIM_PLACE_PAGEABLE && !is_host(copy.dst.place) && !is_empty(spec) &&
	    total_bytes(&copy) <= MOST_STAGED_BYTES) {
		result = sim_stream_wait(stream);
		sim_pair_await(stream->id, stream->work_count + 1);
		if (result == CUDA_SUCCESS && !sim_work_stage(&copy))
			result = CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (result != CUDA_SUCCESS) {
		struct sim_work work = {.kind = SIM_WORK_COPY, .copy = copy};

		sim_work_release(&work);
		return result;
	}
	return enqueue_sync(spec, &copy, stream);
}

/*
 * C-A1 to C-A3. Transfers of pageable memory "might be synchronous": by default small sources are
 * read at the call and everything else holds the caller, as today's drivers do; a schedule that
 * defers does neither, which the text permits as well.
 */
static bool waits_when_async(const struct sim_copy *copy, bool defers)
{
	bool is_host_to_host = is_host(copy->dst.place) && is_host(copy->src.place);
	bool is_pageable = copy->dst.place == SIM_PLACE_PAGEABLE ||
			   (copy->src.place == SIM_PLACE_PAGEABLE && !copy->staged);

	if (!copy->dst.place && !copy->dst.address)
		return false; /* an empty copy */
	return is_host_to_host || (is_pageable && !defers);
}

CUresult sim_copy_enqueue(struct sim_copy *copy, CUstream stream)
{
	struct sim_work work;
	struct sim_op *op;
	uint64_t id = stream->id ^ (stream->op_count << 20);
	bool waits, defers = sim_schedule_may_defer(id) ||
			     sim_pair_defers(stream->id, stream->work_count + 1);
	CUresult result = CUDA_SUCCESS;

	if (copy->src.place == SIM_PLACE_PAGEABLE && copy->src.address &&
	    !is_host(copy->dst.place) && total_bytes(copy) <= STAGED_BYTES && !defers &&
	    !sim_work_stage(copy))
		result = CUDA_ERROR_OUT_OF_MEMORY;
	work = (struct sim_work){.kind = SIM_WORK_COPY, .copy = *copy};
	if (result != CUDA_SUCCESS) {
		sim_work_release(&work);
		return result;
	}
	waits = waits_when_async(copy, defers);
	op = sim_stream_prepare(stream, &work);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	sim_op_get(op);
	sim_stream_commit(stream, op);
	if (waits) {
		sim_schedule_wait(op);
		result = stream->context->error;
	}
	sim_op_put(op);
	return result;
}

CUresult sim_copy_async(const struct sim_copy_spec *spec, CUstream handle)
{
	CUstream stream;
	struct sim_copy copy;
	CUresult result = sim_stream_get_for_work(handle, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (stream->capture)
		return sim_graph_capture_copy(stream, spec);
	result = sim_copy_resolve(spec, &copy);
	return result == CUDA_SUCCESS ? sim_copy_enqueue(&copy, stream) : result;
}
