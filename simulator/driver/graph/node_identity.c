/* What a graph, a node and an instance are known by, and a node's parameters in the general form.
 */
#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/graph/node_api.h"
#include "simulator/driver/handle.h"

CUresult sim_cuGraphGetId(CUgraph hGraph, unsigned int *graphId)
{
	if (!sim_handle_is(hGraph, SIM_KIND_GRAPH) || !graphId)
		return CUDA_ERROR_INVALID_VALUE;
	*graphId = (unsigned int)hGraph->id;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphExecGetId(CUgraphExec hGraphExec, unsigned int *graphId)
{
	if (!sim_handle_is(hGraphExec, SIM_KIND_EXEC) || !graphId)
		return CUDA_ERROR_INVALID_VALUE;
	*graphId = (unsigned int)hGraphExec->graph->id;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphNodeGetContainingGraph(CUgraphNode hNode, CUgraph *phGraph)
{
	if (!sim_handle_is(hNode, SIM_KIND_NODE) || !phGraph)
		return CUDA_ERROR_INVALID_VALUE;
	*phGraph = hNode->graph;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphNodeGetLocalId(CUgraphNode hNode, unsigned int *nodeId)
{
	if (!sim_handle_is(hNode, SIM_KIND_NODE) || !nodeId)
		return CUDA_ERROR_INVALID_VALUE;
	*nodeId = hNode->local_id;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphNodeGetToolsId(CUgraphNode hNode, unsigned long long *toolsNodeId)
{
	if (!sim_handle_is(hNode, SIM_KIND_NODE) || !toolsNodeId)
		return CUDA_ERROR_INVALID_VALUE;
	*toolsNodeId = hNode->graph->id << 32 | hNode->local_id;
	return CUDA_SUCCESS;
}

static CUresult get_fill(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS_v2 *to)
{
	CUDA_MEMSET_NODE_PARAMS fill;
	CUresult result = sim_cuGraphMemsetNodeGetParams(node, &fill);

	if (result == CUDA_SUCCESS)
		*to = (CUDA_MEMSET_NODE_PARAMS_v2){
			fill.dst,   fill.pitch,	 fill.value,	      fill.elementSize,
			fill.width, fill.height, .ctx = node->context};
	return result;
}

static CUresult get_alloc(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS_v2 *to)
{
	CUDA_MEM_ALLOC_NODE_PARAMS alloc;
	CUresult result = sim_cuGraphMemAllocNodeGetParams(node, &alloc);

	if (result == CUDA_SUCCESS)
		*to = (CUDA_MEM_ALLOC_NODE_PARAMS_v2){.poolProps = alloc.poolProps,
						      .accessDescs = alloc.accessDescs,
						      .accessDescCount = alloc.accessDescCount,
						      .bytesize = alloc.bytesize,
						      .dptr = alloc.dptr};
	return result;
}

static CUresult get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v3 *to)
{
	CUDA_KERNEL_NODE_PARAMS kernel;
	CUresult result = sim_cuGraphKernelNodeGetParams_v2(node, &kernel);

	if (result == CUDA_SUCCESS)
		memcpy(to, &kernel, sizeof(kernel));
	return result;
}

static CUresult get_host(CUgraphNode node, CUDA_HOST_NODE_PARAMS_v2 *to)
{
	to->fn = node->host.fn;
	to->userData = node->host.userData;
	return CUDA_SUCCESS;
}

static CUresult get_memops(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *to)
{
	*to = (CUDA_BATCH_MEM_OP_NODE_PARAMS_v2){.ctx = node->context,
						 .count = node->memops.count,
						 .paramArray = node->memops.params};
	return CUDA_SUCCESS;
}

static CUresult get_params(CUgraphNode node, CUgraphNodeParams *params)
{
	*params = (CUgraphNodeParams){.type = node->type};
	switch ((int)node->type) {
	case CU_GRAPH_NODE_TYPE_EMPTY: return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_KERNEL: return get_kernel(node, &params->kernel);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		params->memcpy.copyCtx = node->context;
		return sim_cuGraphMemcpyNodeGetParams(node, &params->memcpy.copyParams);
	case CU_GRAPH_NODE_TYPE_MEMSET: return get_fill(node, &params->memset);
	case CU_GRAPH_NODE_TYPE_HOST: return get_host(node, &params->host);
	case CU_GRAPH_NODE_TYPE_GRAPH: params->graph.graph = node->child; return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		params->eventRecord.event = node->event;
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		params->eventWait.event = node->event;
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC: return get_alloc(node, &params->alloc);
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		return sim_cuGraphMemFreeNodeGetParams(node, &params->free.dptr);
	case CU_GRAPH_NODE_TYPE_MEMCPY_BATCH:
		params->memcpyBatch = node->batch.copies;
		params->memcpyBatch.ctx = node->context;
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH:
		params->fabricCpyBatch = node->batch.fabric;
		params->fabricCpyBatch.ctx = node->context;
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: return get_memops(node, &params->memOp);
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		params->conditional = node->condition.params;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_NOT_SUPPORTED;
}

void sim_node_get_params(CUgraphNode node, CUgraphNodeParams *params)
{
	(void)get_params(node, params);
}

CUresult sim_cuGraphNodeGetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
	CUresult result;

	if (!sim_handle_is(hNode, SIM_KIND_NODE) || !nodeParams)
		return CUDA_ERROR_INVALID_VALUE;
	result = get_params(hNode, nodeParams);
	if (result == CUDA_ERROR_NOT_SUPPORTED)
		return sim_call_unsupported("cuGraphNodeGetParams with this type of node");
	return result;
}
