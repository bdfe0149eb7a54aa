/* Batches of copies: one op of the stream, with no order among its copies (section 4.6). */
#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/capture.h"
#include "simulator/driver/copy.h"
#include "simulator/driver/graph_capture.h"
#include "simulator/driver/stream.h"

struct batch {
	CUdeviceptr *dsts;
	CUdeviceptr *srcs;
	size_t *sizes;
	size_t count;
	CUmemcpyAttributes *attrs;
	size_t *attr_indexes;
	size_t attr_count;
};

static bool is_ordered(const struct batch *batch)
{
	size_t i;

	for (i = 0; i < batch->attr_count; i++)
		if ((i ? batch->attr_indexes[i] <= batch->attr_indexes[i - 1]
		       : batch->attr_indexes[0] != 0) ||
		    batch->attr_indexes[i] >= batch->count ||
		    batch->attrs[i].srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
		    batch->attrs[i].srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY)
			return false;
	return true;
}

static CUresult check(const struct batch *batch)
{
	if (!batch->dsts || !batch->srcs || !batch->sizes || !batch->count || !batch->attrs ||
	    !batch->attr_indexes || !batch->attr_count || batch->attr_count > batch->count)
		return CUDA_ERROR_INVALID_VALUE;
	return is_ordered(batch) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The attributes of copy number `index`. */
static const CUmemcpyAttributes *attributes_of(const struct batch *batch, size_t index)
{
	size_t i = batch->attr_count - 1;

	while (i && batch->attr_indexes[i] > index)
		i--;
	return &batch->attrs[i];
}

/* Resolves one copy; a source that may be read only during the call is read now. */
static CUresult resolve(const struct batch *batch, size_t index, struct sim_copy *copy)
{
	struct sim_copy_spec spec = sim_copy_linear(batch->dsts[index], false, batch->srcs[index],
						    false, batch->sizes[index]);
	CUresult result = sim_copy_resolve(&spec, copy);

	if (result != CUDA_SUCCESS || !batch->sizes[index])
		return result;
	if (attributes_of(batch, index)->srcAccessOrder !=
		    CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL ||
	    copy->src.place > SIM_PLACE_REGISTERED)
		return CUDA_SUCCESS;
	return sim_work_stage(copy) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* All copies of the batch as one work; on failure nothing is held. */
static CUresult gather(const struct batch *batch, struct sim_work *work, size_t *failed)
{
	struct sim_copy copy, *more;
	CUresult result = CUDA_SUCCESS;
	size_t i;

	*work = (struct sim_work){.kind = SIM_WORK_COPY};
	for (i = 0; i < batch->count && result == CUDA_SUCCESS; i++) {
		*failed = i;
		result = resolve(batch, i, &copy);
		if (result != CUDA_SUCCESS)
			break;
		more = malloc(sizeof(*more));
		if (!more) {
			struct sim_work dropped = {.kind = SIM_WORK_COPY, .copy = copy};

			sim_work_release(&dropped);
			result = CUDA_ERROR_OUT_OF_MEMORY;
			break;
		}
		*more = copy;
		more->next = work->copy.next;
		work->copy.next = more;
	}
	if (result != CUDA_SUCCESS)
		sim_work_release(work);
	return result;
}

/* In a graph sources are read when the nodes run (G-9), whatever the attributes say. */
static CUresult capture(const struct batch *batch, CUstream stream)
{
	struct sim_copy_spec *specs = calloc(batch->count, sizeof(*specs));
	CUresult result;
	size_t i;

	if (!specs)
		return sim_capture_break(stream, CUDA_ERROR_OUT_OF_MEMORY);
	for (i = 0; i < batch->count; i++)
		specs[i] = sim_copy_linear(batch->dsts[i], false, batch->srcs[i], false,
					   batch->sizes[i]);
	result = sim_graph_capture_batch(stream, specs, batch->count);
	free(specs);
	return result;
}

static CUresult run(const struct batch *batch, size_t *failed, CUstream handle)
{
	struct sim_work work;
	CUstream stream;
	CUresult result = sim_stream_get_for_work(handle, &stream);

	*failed = SIZE_MAX;
	if (result == CUDA_SUCCESS)
		result = check(batch);
	if (result != CUDA_SUCCESS)
		return result;
	if (stream->is_legacy)
		return CUDA_ERROR_INVALID_VALUE;
	if (stream->capture)
		return capture(batch, stream);
	result = gather(batch, &work, failed);
	return result == CUDA_SUCCESS ? sim_stream_submit(stream, &work) : result;
}

CUresult sim_cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes,
				   size_t count, CUmemcpyAttributes *attrs, size_t *attrsIdxs,
				   size_t numAttrs, CUstream hStream)
{
	struct batch batch = {dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs};
	size_t failed;

	return run(&batch, &failed, hStream);
}

CUresult sim_cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
				CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
				size_t *failIdx, CUstream hStream)
{
	struct batch batch = {dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs};
	size_t failed;
	CUresult result = run(&batch, &failed, hStream);

	if (failIdx && result != CUDA_SUCCESS)
		*failIdx = failed;
	return result;
}
