/* Nodes that are batches of copies: plain ones (CUDA 13.1), and over a fabric (CUDA 13.5). */
#include "simulator/driver/graph/node_api.h"

#include <stdlib.h>
#include <string.h>

#include "simulator/driver/context/context.h"
#include "simulator/driver/graph/graph.h"

static void free_batch(struct sim_node_batch *batch, CUgraphNodeType type)
{
	CUDA_MEMCPY_BATCH_NODE_PARAMS *copies = &batch->copies;

	free(batch->specs);
	if (type == CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH) {
		free(batch->fabric.opList);
		return;
	}
	free(copies->dsts);
	free(copies->srcs);
	free(copies->sizes);
	free(copies->attrs);
	free(copies->attrsIdxs);
}

void sim_node_free_batch(CUgraphNode node)
{
	free_batch(&node->batch, node->type);
}

/* NULL when out of memory, or for too many. */
static void *twin(const void *from, size_t count, size_t each)
{
	void *to = calloc(count, each);

	if (to)
		memcpy(to, from, count * each);
	return to;
}

#define TWIN(from, count) twin(from, count, sizeof(*(from)))

static bool hold_copies(struct sim_node_batch *batch, const CUDA_MEMCPY_BATCH_NODE_PARAMS *params)
{
	batch->count = params->count;
	batch->copies = (CUDA_MEMCPY_BATCH_NODE_PARAMS){
		.count = params->count,
		.dsts = TWIN(params->dsts, params->count),
		.srcs = TWIN(params->srcs, params->count),
		.sizes = TWIN(params->sizes, params->count),
		.attrs = TWIN(params->attrs, params->numAttrs),
		.attrsIdxs = TWIN(params->attrsIdxs, params->numAttrs),
		.numAttrs = params->numAttrs};
	return batch->specs && batch->copies.dsts && batch->copies.srcs && batch->copies.sizes &&
	       batch->copies.attrs && batch->copies.attrsIdxs;
}

static bool hold_fabric(struct sim_node_batch *batch,
			const CUDA_FABRIC_CPY_BATCH_NODE_PARAMS *params)
{
	batch->count = params->numOps;
	batch->fabric = (CUDA_FABRIC_CPY_BATCH_NODE_PARAMS){
		.numOps = params->numOps, .opList = TWIN(params->opList, params->numOps)};
	return batch->specs && batch->fabric.opList;
}

static CUresult take_context(CUgraphNode node, CUcontext context)
{
	if (context && sim_context_check(context) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_VALUE;
	if (context)
		node->context = context;
	return CUDA_SUCCESS;
}

/* The node does this batch from now on; or, after a failure, what it did. */
static CUresult take_batch(CUgraphNode node, struct sim_node_batch *batch, CUcontext context,
			   CUresult result)
{
	size_t i;

	if (result == CUDA_SUCCESS)
		result = take_context(node, context);
	if (result != CUDA_SUCCESS) {
		free_batch(batch, node->type);
		return result;
	}
	for (i = 0; i < batch->count; i++)
		sim_copy_keep_locked(&batch->specs[i]);
	free_batch(&node->batch, node->type);
	node->batch = *batch;
	return CUDA_SUCCESS;
}

CUresult sim_node_set_copies(CUgraphNode node, const CUDA_MEMCPY_BATCH_NODE_PARAMS *params)
{
	struct sim_node_batch batch = {0};
	size_t i;

	if (!params->count || !params->dsts || !params->srcs || !params->sizes ||
	    sim_copy_check_batch(params->attrs, params->attrsIdxs, params->numAttrs,
				 params->count) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_VALUE;
	batch.specs = calloc(params->count, sizeof(*batch.specs));
	if (!hold_copies(&batch, params))
		return take_batch(node, &batch, NULL, CUDA_ERROR_OUT_OF_MEMORY);
	for (i = 0; i < params->count; i++)
		batch.specs[i] = sim_copy_linear(params->dsts[i], false, params->srcs[i], false,
						 params->sizes[i]);
	return take_batch(node, &batch, params->ctx, CUDA_SUCCESS);
}

CUresult sim_node_set_fabric(CUgraphNode node, const CUDA_FABRIC_CPY_BATCH_NODE_PARAMS *params)
{
	struct sim_node_batch batch = {0};

	if (!params->numOps || !params->opList || params->flags)
		return CUDA_ERROR_INVALID_VALUE;
	batch.specs = calloc(params->numOps, sizeof(*batch.specs));
	if (!hold_fabric(&batch, params))
		return take_batch(node, &batch, NULL, CUDA_ERROR_OUT_OF_MEMORY);
	return take_batch(node, &batch, params->ctx,
			  sim_copy_from_fabric(params->opList, params->numOps, batch.specs));
}

/* The copies as the other node has them: it was given the host memory that is locked. */
CUresult sim_node_copy_batch(CUgraphNode to, CUgraphNode from)
{
	struct sim_node_batch batch = {.specs = TWIN(from->batch.specs, from->batch.count)};
	bool is_whole = from->type == CU_GRAPH_NODE_TYPE_MEMCPY_BATCH
				? hold_copies(&batch, &from->batch.copies)
				: hold_fabric(&batch, &from->batch.fabric);

	free_batch(is_whole ? &to->batch : &batch, to->type);
	if (is_whole)
		to->batch = batch;
	return is_whole ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static bool may_set_context(CUgraphNode node, CUcontext context)
{
	return !context || context == node->context;
}

bool sim_node_may_set_copies(CUgraphNode node, const CUDA_MEMCPY_BATCH_NODE_PARAMS *params)
{
	const CUDA_MEMCPY_BATCH_NODE_PARAMS *now = &node->batch.copies;
	size_t count = now->numAttrs;

	return params->count == now->count && params->numAttrs == count && params->attrs &&
	       params->attrsIdxs && may_set_context(node, params->ctx) &&
	       !memcmp(params->attrs, now->attrs, count * sizeof(*now->attrs)) &&
	       !memcmp(params->attrsIdxs, now->attrsIdxs, count * sizeof(*now->attrsIdxs));
}

bool sim_node_may_set_fabric(CUgraphNode node, const CUDA_FABRIC_CPY_BATCH_NODE_PARAMS *params)
{
	const CUDA_FABRIC_CPY_BATCH_NODE_PARAMS *now = &node->batch.fabric;
	size_t i;

	if (params->numOps != now->numOps || !params->opList || !may_set_context(node, params->ctx))
		return false;
	for (i = 0; i < now->numOps; i++)
		if (params->opList[i].dst.type != now->opList[i].dst.type ||
		    params->opList[i].src.type != now->opList[i].src.type)
			return false;
	return true;
}
