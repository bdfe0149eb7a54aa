/* Adding and changing nodes of any type through one structure. */
#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/condition.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/graph/node_api.h"
#include "simulator/driver/context/thread.h"

static const CUDA_MEMSET_NODE_PARAMS *fill_of(const CUgraphNodeParams *params,
					      CUDA_MEMSET_NODE_PARAMS *fill)
{
	*fill = (CUDA_MEMSET_NODE_PARAMS){params->memset.dst,	params->memset.pitch,
					  params->memset.value, params->memset.elementSize,
					  params->memset.width, params->memset.height};
	return fill;
}

static void memops_of(const CUgraphNodeParams *params, CUDA_BATCH_MEM_OP_NODE_PARAMS *memops)
{
	*memops = (CUDA_BATCH_MEM_OP_NODE_PARAMS){params->memOp.ctx, params->memOp.count,
						  params->memOp.paramArray, params->memOp.flags};
}

static CUresult add_alloc(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
			  CUgraphNodeParams *params)
{
	CUDA_MEM_ALLOC_NODE_PARAMS alloc = {.poolProps = params->alloc.poolProps,
					    .accessDescs = params->alloc.accessDescs,
					    .accessDescCount = params->alloc.accessDescCount,
					    .bytesize = params->alloc.bytesize};
	CUresult result = sim_cuGraphAddMemAllocNode(node, graph, before, count, &alloc);

	if (result == CUDA_SUCCESS)
		params->alloc.dptr = alloc.dptr;
	return result;
}

static CUresult set_batch(CUgraphNode node, const CUgraphNodeParams *params)
{
	return params->type == CU_GRAPH_NODE_TYPE_MEMCPY_BATCH
		       ? sim_node_set_copies(node, &params->memcpyBatch)
		       : sim_node_set_fabric(node, &params->fabricCpyBatch);
}

static CUresult add_batch(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
			  const CUgraphNodeParams *params)
{
	CUresult result = sim_node_add(node, graph, before, count, params->type, params);

	return result == CUDA_SUCCESS ? sim_node_end_add(node, set_batch(*node, params)) : result;
}

static CUresult set_event(CUgraphNode node, CUevent event)
{
	if (!sim_handle_is(event, SIM_KIND_EVENT))
		return CUDA_ERROR_INVALID_VALUE;
	node->event = event;
	return CUDA_SUCCESS;
}

/* The general form, for the kinds that have functions of their own; full dependencies only. */
CUresult sim_cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph,
			    const CUgraphNode *dependencies, size_t numDependencies,
			    CUgraphNodeParams *params)
{
	CUDA_KERNEL_NODE_PARAMS kernel;
	CUDA_BATCH_MEM_OP_NODE_PARAMS memops;
	CUDA_MEMSET_NODE_PARAMS fill;

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	switch ((int)params->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		memcpy(&kernel, &params->kernel, sizeof(kernel));
		return sim_cuGraphAddKernelNode_v2(phGraphNode, hGraph, dependencies,
						   numDependencies, &kernel);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return sim_cuGraphAddMemcpyNode(phGraphNode, hGraph, dependencies, numDependencies,
						&params->memcpy.copyParams,
						params->memcpy.copyCtx ? params->memcpy.copyCtx
								       : sim_thread_context());
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return sim_cuGraphAddMemsetNode(
			phGraphNode, hGraph, dependencies, numDependencies, fill_of(params, &fill),
			params->memset.ctx ? params->memset.ctx : sim_thread_context());
	case CU_GRAPH_NODE_TYPE_HOST:
		return sim_cuGraphAddHostNode(
			phGraphNode, hGraph, dependencies, numDependencies,
			&(CUDA_HOST_NODE_PARAMS){params->host.fn, params->host.userData});
	case CU_GRAPH_NODE_TYPE_GRAPH:
		return sim_cuGraphAddChildGraphNode(phGraphNode, hGraph, dependencies,
						    numDependencies, params->graph.graph);
	case CU_GRAPH_NODE_TYPE_EMPTY:
		return sim_cuGraphAddEmptyNode(phGraphNode, hGraph, dependencies, numDependencies);
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return sim_cuGraphAddEventRecordNode(phGraphNode, hGraph, dependencies,
						     numDependencies, params->eventRecord.event);
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		return sim_cuGraphAddEventWaitNode(phGraphNode, hGraph, dependencies,
						   numDependencies, params->eventWait.event);
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		return add_alloc(phGraphNode, hGraph, dependencies, numDependencies, params);
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		return sim_cuGraphAddMemFreeNode(phGraphNode, hGraph, dependencies, numDependencies,
						 params->free.dptr);
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		memops_of(params, &memops);
		return sim_cuGraphAddBatchMemOpNode(phGraphNode, hGraph, dependencies,
						    numDependencies, &memops);
	case CU_GRAPH_NODE_TYPE_MEMCPY_BATCH:
	case CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH:
		return add_batch(phGraphNode, hGraph, dependencies, numDependencies, params);
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		return sim_condition_add_node(phGraphNode, hGraph, dependencies, numDependencies,
					      &params->conditional);
	}
	return sim_call_unsupported("cuGraphAddNode with this type of node");
}

/* The edges from the node's dependencies are full edges; gives the edges their data. */
static CUresult set_data(CUgraphNode node, const CUgraphEdgeData *data)
{
	size_t i;

	for (i = 0; i < node->before.count; i++) {
		if (!sim_edge_is_possible(node->before.nodes[i], node, &data[i]))
			return CUDA_ERROR_INVALID_VALUE;
		node->before.data[i] = data[i];
	}
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
			       const CUgraphNode *dependencies,
			       const CUgraphEdgeData *dependencyData, size_t numDependencies,
			       CUgraphNodeParams *params)
{
	CUresult result =
		sim_cuGraphAddNode(phGraphNode, hGraph, dependencies, numDependencies, params);

	if (result != CUDA_SUCCESS || !dependencyData)
		return result;
	return sim_node_end_add(phGraphNode, set_data(*phGraphNode, dependencyData));
}

/* Sets the payload of a node, of a graph or of an exec. */
static CUresult set_params(CUgraphNode node, CUgraphNodeParams *params)
{
	CUDA_KERNEL_NODE_PARAMS kernel;
	CUDA_BATCH_MEM_OP_NODE_PARAMS memops;
	CUDA_MEMSET_NODE_PARAMS fill;

	if (!params || params->type != node->type)
		return CUDA_ERROR_INVALID_VALUE;
	switch ((int)params->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		memcpy(&kernel, &params->kernel, sizeof(kernel));
		return sim_cuGraphKernelNodeSetParams_v2(node, &kernel);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return sim_cuGraphMemcpyNodeSetParams(node, &params->memcpy.copyParams);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return sim_cuGraphMemsetNodeSetParams(node, fill_of(params, &fill));
	case CU_GRAPH_NODE_TYPE_HOST:
		return sim_cuGraphHostNodeSetParams(
			node, &(CUDA_HOST_NODE_PARAMS){params->host.fn, params->host.userData});
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		memops_of(params, &memops);
		return sim_cuGraphBatchMemOpNodeSetParams(node, &memops);
	case CU_GRAPH_NODE_TYPE_MEMCPY_BATCH:
	case CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH: return set_batch(node, params);
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return set_event(node, params->eventRecord.event);
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return set_event(node, params->eventWait.event);
	}
	return sim_call_unsupported("cuGraphNodeSetParams with this type of node");
}

CUresult sim_cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
	return sim_handle_is(hNode, SIM_KIND_NODE) ? set_params(hNode, nodeParams)
						   : CUDA_ERROR_INVALID_VALUE;
}

/* Of batches in an exec only addresses and sizes can change. */
static bool may_set(CUgraphNode node, const CUgraphNodeParams *params)
{
	switch ((int)params->type) {
	case CU_GRAPH_NODE_TYPE_MEMCPY_BATCH:
		return sim_node_may_set_copies(node, &params->memcpyBatch);
	case CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH:
		return sim_node_may_set_fabric(node, &params->fabricCpyBatch);
	}
	return true;
}

CUresult sim_cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
				      CUgraphNodeParams *nodeParams)
{
	CUgraphNode node;
	CUresult result;

	if (!nodeParams)
		return CUDA_ERROR_INVALID_VALUE;
	if (nodeParams->type == CU_GRAPH_NODE_TYPE_GRAPH)
		return sim_cuGraphExecChildGraphNodeSetParams(hGraphExec, hNode,
							      nodeParams->graph.graph);
	result = sim_exec_find_node(hGraphExec, hNode, nodeParams->type, nodeParams, &node);
	if (result == CUDA_SUCCESS && !may_set(node, nodeParams))
		return CUDA_ERROR_INVALID_VALUE;
	return result == CUDA_SUCCESS ? set_params(node, nodeParams) : result;
}
