/* The nodes that allocate and free memory, write and wait for values, and decide. */
#include "simulator/driver/api.h"
#include "simulator/driver/call.h"
#include "simulator/driver/graph/condition.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/graph/graph_memory.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/memory/pool.h"
#include "simulator/driver/stream/memop.h"
#include "simulator/driver/graph/node_api.h"

static CUresult set_alloc(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
	const CUmemPoolProps *props = &params->poolProps;
	struct sim_device *device;
	enum sim_place place;
	CUresult result;

	if ((params->accessDescCount && !params->accessDescs) || !params->bytesize)
		return CUDA_ERROR_INVALID_VALUE;
	if (props->handleTypes != CU_MEM_HANDLE_TYPE_NONE)
		return CUDA_ERROR_NOT_SUPPORTED;
	result = sim_pool_place(&props->location, props->allocType, &place, &device);
	if (result != CUDA_SUCCESS)
		return result == CUDA_ERROR_INVALID_DEVICE ? CUDA_ERROR_INVALID_VALUE : result;
	if (place == SIM_PLACE_PINNED) /* probe 26, and an H200 with CUDA 13.0 */
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!sim_graph_memory_give(node, device, place, params->bytesize))
		return CUDA_ERROR_OUT_OF_MEMORY;
	params->dptr = node->memory->base;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph,
				    const CUgraphNode *dependencies, size_t numDependencies,
				    CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams)
{
	CUresult result = sim_node_add(phGraphNode, hGraph, dependencies, numDependencies,
				       CU_GRAPH_NODE_TYPE_MEM_ALLOC, nodeParams);

	if (result != CUDA_SUCCESS)
		return result;
	return sim_node_end_add(phGraphNode, set_alloc(*phGraphNode, nodeParams));
}

/* The access descriptors are not kept: all devices reach each other. */
CUresult sim_cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS *params_out)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_MEM_ALLOC, params_out);

	if (result != CUDA_SUCCESS)
		return result;
	*params_out = (CUDA_MEM_ALLOC_NODE_PARAMS){
		.poolProps = {.allocType = hNode->memory->place == SIM_PLACE_MANAGED
						   ? CU_MEM_ALLOCATION_TYPE_MANAGED
						   : CU_MEM_ALLOCATION_TYPE_PINNED,
			      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
					   .id = hNode->memory->device->ordinal}},
		.bytesize = hNode->memory->size_bytes,
		.dptr = hNode->memory->base};
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph,
				   const CUgraphNode *dependencies, size_t numDependencies,
				   CUdeviceptr dptr)
{
	struct sim_graph_memory *memory = sim_graph_memory_find(dptr);
	CUresult result = sim_node_add(phGraphNode, hGraph, dependencies, numDependencies,
				       CU_GRAPH_NODE_TYPE_MEM_FREE, hGraph);

	if (result != CUDA_SUCCESS)
		return result;
	result = CUDA_ERROR_INVALID_VALUE;
	if (memory)
		result = sim_graph_memory_check_free(memory, hGraph);
	if (result == CUDA_SUCCESS)
		sim_graph_memory_take_free(*phGraphNode, memory);
	return sim_node_end_add(phGraphNode, result);
}

CUresult sim_cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr *dptr_out)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_MEM_FREE, dptr_out);

	if (result == CUDA_SUCCESS)
		*dptr_out = hNode->memory->base;
	return result;
}

/* The addresses are looked up at each launch: memory of this graph does not exist yet. */
static CUresult set_memops(CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
	if (params->flags || !params->paramArray || !params->count ||
	    params->count >= SIM_MEMOP_MOST)
		return CUDA_ERROR_INVALID_VALUE;
	if (params->ctx && sim_context_check(params->ctx) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_VALUE;
	if (params->ctx)
		node->context = params->ctx;
	return sim_node_set_memops(node, params->paramArray, params->count);
}

CUresult sim_cuGraphAddBatchMemOpNode(CUgraphNode *phGraphNode, CUgraph hGraph,
				      const CUgraphNode *dependencies, size_t numDependencies,
				      const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
	CUresult result = sim_node_add(phGraphNode, hGraph, dependencies, numDependencies,
				       CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, nodeParams);

	if (result != CUDA_SUCCESS)
		return result;
	return sim_node_end_add(phGraphNode, set_memops(*phGraphNode, nodeParams));
}

CUresult sim_cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode,
					    CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams_out)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, nodeParams_out);

	if (result == CUDA_SUCCESS)
		*nodeParams_out =
			(CUDA_BATCH_MEM_OP_NODE_PARAMS){.ctx = hNode->context,
							.count = hNode->memops.count,
							.paramArray = hNode->memops.params};
	return result;
}

CUresult sim_cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode,
					    const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, nodeParams);

	return result == CUDA_SUCCESS ? set_memops(hNode, nodeParams) : result;
}

CUresult sim_cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
						const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
	CUgraphNode node;
	CUresult result = sim_exec_find_node(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
					     nodeParams, &node);

	return result == CUDA_SUCCESS ? set_memops(node, nodeParams) : result;
}

CUresult sim_condition_add_node(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
				size_t count, CUDA_CONDITIONAL_NODE_PARAMS *params)
{
	CUresult result =
		sim_node_add(node, graph, before, count, CU_GRAPH_NODE_TYPE_CONDITIONAL, params);

	if (result != CUDA_SUCCESS)
		return result;
	return sim_node_end_add(node, sim_condition_init(&(*node)->condition, graph, params));
}
