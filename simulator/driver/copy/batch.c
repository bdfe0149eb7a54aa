/* Batches of copies: one op of the stream, with no order among its copies (section 4.6). */
#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/copy/array.h"
#include "simulator/driver/graph/capture.h"
#include "simulator/driver/copy/copy.h"
#include "simulator/driver/graph/graph_capture.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/stream/stream.h"

/* One batch, whichever function it came through. */
struct batch {
	struct sim_copy_spec *specs;	/* owned */
	CUmemcpySrcAccessOrder *orders; /* owned */
	size_t count;
};

static CUresult begin(struct batch *batch, size_t count)
{
	*batch = (struct batch){.count = count};
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	batch->specs = calloc(count, sizeof(*batch->specs));
	batch->orders = calloc(count, sizeof(*batch->orders));
	return batch->specs && batch->orders ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static void end(struct batch *batch)
{
	free(batch->specs);
	free(batch->orders);
}

/* Enqueues the batch, of a stream that does not capture. */
static CUresult enqueue(const struct batch *batch, size_t *failed, CUstream stream)
{
	struct sim_work work;
	CUresult result = sim_copy_gather(batch->specs, batch->orders, batch->count, &work, failed);

	return result == CUDA_SUCCESS ? sim_stream_submit(stream, &work) : result;
}

/* In a graph sources are read when the nodes run (G-9), whatever the attributes say. No node has
 * several boxes: each becomes one. */
static CUresult run(const struct batch *batch, size_t *failed, CUstream stream)
{
	if (stream->capture)
		return sim_graph_capture_batch(stream, batch->specs, batch->count);
	return enqueue(batch, failed, stream);
}

static CUresult get_stream(CUstream handle, unsigned long long flags, CUstream *stream)
{
	CUresult result = sim_stream_get_for_work(handle, stream);

	if (result != CUDA_SUCCESS)
		return result;
	return flags || (*stream)->is_legacy ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* Attributes k apply from copy number attrsIdxs[k] on. */
static CUresult set_orders(struct batch *batch, const CUmemcpyAttributes *attrs,
			   const size_t *indexes, size_t attr_count)
{
	CUresult result = sim_copy_check_batch(attrs, indexes, attr_count, batch->count);
	size_t i, k;

	for (k = 0; result == CUDA_SUCCESS && k < attr_count; k++)
		for (i = indexes[k]; i < batch->count; i++)
			batch->orders[i] = attrs[k].srcAccessOrder;
	return result;
}

static CUresult run_linear(const struct batch *batch, const CUDA_MEMCPY_BATCH_NODE_PARAMS *params,
			   size_t *failed, CUstream stream)
{
	return stream->capture ? sim_graph_capture_copies(stream, params)
			       : enqueue(batch, failed, stream);
}

CUresult sim_cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
				CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
				size_t *failIdx, CUstream hStream)
{
	const CUDA_MEMCPY_BATCH_NODE_PARAMS params = {count, dsts,	srcs,	  sizes,
						      attrs, attrsIdxs, numAttrs, {NULL}};
	size_t i, failed = SIZE_MAX;
	struct batch batch = {0};
	CUstream stream;
	CUresult result = get_stream(hStream, 0, &stream);

	if (result == CUDA_SUCCESS)
		result = dsts && srcs && sizes ? begin(&batch, count) : CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = set_orders(&batch, attrs, attrsIdxs, numAttrs);
	for (i = 0; result == CUDA_SUCCESS && i < count; i++)
		batch.specs[i] = sim_copy_linear(dsts[i], false, srcs[i], false, sizes[i]);
	if (result == CUDA_SUCCESS)
		result = run_linear(&batch, &params, &failed, stream);
	if (failIdx && result != CUDA_SUCCESS)
		*failIdx = failed;
	end(&batch);
	return result;
}

CUresult sim_cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes,
				   size_t count, CUmemcpyAttributes *attrs, size_t *attrsIdxs,
				   size_t numAttrs, CUstream hStream)
{
	return sim_cuMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, NULL,
				      hStream);
}

/* Bytes of an element: of the array if there is one, else extents count bytes. 0: no array. */
static size_t element_of(const CUmemcpy3DOperand *operand)
{
	if (operand->type != CU_MEMCPY_OPERAND_TYPE_ARRAY)
		return 1;
	return sim_handle_is(operand->op.array.array, SIM_KIND_ARRAY)
		       ? operand->op.array.array->element_bytes
		       : 0;
}

static CUresult read_operand(const CUmemcpy3DOperand *operand, size_t element_bytes,
			     struct sim_side *side)
{
	switch ((int)operand->type) {
	case CU_MEMCPY_OPERAND_TYPE_POINTER:
		side->address = operand->op.ptr.ptr;
		side->height = operand->op.ptr.layerHeight;
		return __builtin_mul_overflow(operand->op.ptr.rowLength, element_bytes,
					      &side->pitch_bytes)
			       ? CUDA_ERROR_INVALID_VALUE
			       : CUDA_SUCCESS;
	case CU_MEMCPY_OPERAND_TYPE_ARRAY:
		side->array = operand->op.array.array;
		side->y = operand->op.array.offset.y;
		side->z = operand->op.array.offset.z;
		return __builtin_mul_overflow(operand->op.array.offset.x, element_bytes,
					      &side->x_bytes)
			       ? CUDA_ERROR_INVALID_VALUE
			       : CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

static CUresult read_box(const CUDA_MEMCPY3D_BATCH_OP *op, struct sim_copy_spec *spec)
{
	size_t dst = element_of(&op->dst), src = element_of(&op->src);
	size_t element_bytes = dst > src ? dst : src;
	CUresult result;

	if (!dst || !src || (dst > 1 && src > 1 && dst != src) ||
	    !sim_copy_is_order(op->srcAccessOrder) || !op->extent.width || !op->extent.height ||
	    !op->extent.depth)
		return CUDA_ERROR_INVALID_VALUE;
	*spec = (struct sim_copy_spec){.height = op->extent.height, .depth = op->extent.depth};
	if (__builtin_mul_overflow(op->extent.width, element_bytes, &spec->width_bytes))
		return CUDA_ERROR_INVALID_VALUE;
	result = read_operand(&op->dst, element_bytes, &spec->dst);
	return result == CUDA_SUCCESS ? read_operand(&op->src, element_bytes, &spec->src) : result;
}

CUresult sim_cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
				  unsigned long long flags, CUstream hStream)
{
	size_t i, failed = SIZE_MAX;
	struct batch batch = {0};
	CUstream stream;
	CUresult result = get_stream(hStream, flags, &stream);

	if (result == CUDA_SUCCESS)
		result = opList ? begin(&batch, numOps) : CUDA_ERROR_INVALID_VALUE;
	for (i = 0; result == CUDA_SUCCESS && i < numOps; i++) {
		failed = i;
		batch.orders[i] = opList[i].srcAccessOrder;
		result = read_box(&opList[i], &batch.specs[i]);
	}
	if (result == CUDA_SUCCESS)
		result = run(&batch, &failed, stream);
	if (failIdx && result != CUDA_SUCCESS)
		*failIdx = failed;
	end(&batch);
	return result;
}

CUresult sim_cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList,
				     unsigned long long flags, CUstream hStream)
{
	return sim_cuMemcpy3DBatchAsync(numOps, opList, NULL, flags, hStream);
}

/* One copy with attributes, in any stream: a batch of one. */
static CUresult run_one(struct sim_copy_spec spec, CUmemcpySrcAccessOrder order, CUstream handle)
{
	struct batch one = {.specs = &spec, .orders = &order, .count = 1};
	size_t failed;
	CUstream stream;
	CUresult result = sim_stream_get_for_work(handle, &stream);

	if (result == CUDA_SUCCESS && !sim_copy_is_order(order))
		result = CUDA_ERROR_INVALID_VALUE;
	return result == CUDA_SUCCESS ? run(&one, &failed, stream) : result;
}

CUresult sim_cuMemcpyWithAttributesAsync(CUdeviceptr dst, CUdeviceptr src, size_t size,
					 CUmemcpyAttributes *attr, CUstream hStream)
{
	if (!attr)
		return CUDA_ERROR_INVALID_VALUE;
	return run_one(sim_copy_linear(dst, false, src, false, size), attr->srcAccessOrder,
		       hStream);
}

CUresult sim_cuMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *op, unsigned long long flags,
					   CUstream hStream)
{
	struct sim_copy_spec spec;
	CUresult result = op && !flags ? read_box(op, &spec) : CUDA_ERROR_INVALID_VALUE;

	return result == CUDA_SUCCESS ? run_one(spec, op->srcAccessOrder, hStream) : result;
}

CUresult sim_cuFabricCpyBatchAsync(size_t numOps, CUDA_FABRIC_COPY_BATCH_OP *opList,
				   unsigned long long flags, CUstream hStream)
{
	const CUDA_FABRIC_CPY_BATCH_NODE_PARAMS params = {numOps, opList, flags, {NULL}};
	struct batch batch = {0};
	size_t failed;
	CUstream stream;
	CUresult result = get_stream(hStream, flags, &stream);

	if (result == CUDA_SUCCESS)
		result = opList ? begin(&batch, numOps) : CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = sim_copy_from_fabric(opList, numOps, batch.specs);
	if (result == CUDA_SUCCESS)
		result = stream->capture ? sim_graph_capture_fabric(stream, &params)
					 : enqueue(&batch, &failed, stream);
	end(&batch);
	return result;
}
