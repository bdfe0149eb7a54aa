/* Changing what the nodes of an exec do; launches in flight keep what they had (rule G-10). */
#include "simulator/driver/graph/node_api.h"

#include "simulator/driver/api.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/handle.h"

/* The node of a copy that stems from that node, in child graphs as well; NULL if none does. */
static CUgraphNode find_copy(CUgraph graph, CUgraphNode origin)
{
	CUgraphNode found = NULL;
	CUgraph inner;
	size_t i, j;

	for (i = 0; i < graph->count && !found; i++) {
		if (graph->nodes[i]->origin == origin)
			return graph->nodes[i];
		for (j = 0; !found && (inner = sim_node_inner(graph->nodes[i], j)); j++)
			found = find_copy(inner, origin);
	}
	return found;
}

CUresult sim_exec_find_node(CUgraphExec exec, CUgraphNode origin, CUgraphNodeType type,
			    const void *params, CUgraphNode *node)
{
	if (!sim_handle_is(exec, SIM_KIND_EXEC) || !params)
		return CUDA_ERROR_INVALID_VALUE;
	*node = find_copy(exec->graph, origin);
	return *node && (*node)->type == type ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
					       const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	CUgraphNode node;
	CUresult result =
		sim_exec_find_node(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams, &node);

	return result == CUDA_SUCCESS ? sim_cuGraphKernelNodeSetParams_v2(node, nodeParams)
				      : result;
}

CUresult sim_cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
					    const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
	CUgraphNode node;
	CUresult result = sim_context_check(ctx);

	if (result == CUDA_SUCCESS)
		result = sim_exec_find_node(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_MEMCPY,
					    copyParams, &node);
	return result == CUDA_SUCCESS ? sim_cuGraphMemcpyNodeSetParams(node, copyParams) : result;
}

CUresult sim_cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
					    const CUDA_MEMSET_NODE_PARAMS *memsetParams,
					    CUcontext ctx)
{
	CUgraphNode node;
	CUresult result = sim_context_check(ctx);

	if (result == CUDA_SUCCESS)
		result = sim_exec_find_node(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_MEMSET,
					    memsetParams, &node);
	return result == CUDA_SUCCESS ? sim_cuGraphMemsetNodeSetParams(node, memsetParams) : result;
}

CUresult sim_cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
					  const CUDA_HOST_NODE_PARAMS *nodeParams)
{
	CUgraphNode node;
	CUresult result =
		sim_exec_find_node(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_HOST, nodeParams, &node);

	return result == CUDA_SUCCESS ? sim_cuGraphHostNodeSetParams(node, nodeParams) : result;
}

static CUresult set_event(CUgraphExec exec, CUgraphNode origin, CUgraphNodeType type, CUevent event)
{
	CUgraphNode node;
	CUresult result = sim_exec_find_node(exec, origin, type, event, &node);

	if (result != CUDA_SUCCESS || !sim_handle_is(event, SIM_KIND_EVENT))
		return CUDA_ERROR_INVALID_VALUE;
	node->event = event;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
						CUevent event)
{
	return set_event(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CUresult sim_cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
					      CUevent event)
{
	return set_event(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}

/* The child's structure must be the same; only what its nodes do is taken over. */
CUresult sim_cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
						CUgraph childGraph)
{
	CUgraphExecUpdateResultInfo info;
	CUgraphNode node;
	CUresult result =
		sim_exec_find_node(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_GRAPH, childGraph, &node);

	if (result != CUDA_SUCCESS || !sim_handle_is(childGraph, SIM_KIND_GRAPH))
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_graph_update(hGraphExec, node->child, childGraph, &info);
	return result == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE ? CUDA_ERROR_INVALID_VALUE : result;
}

static bool can_be_disabled(CUgraphNodeType type)
{
	return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
	       type == CU_GRAPH_NODE_TYPE_MEMSET || type == CU_GRAPH_NODE_TYPE_MEMCPY_BATCH ||
	       type == CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH;
}

CUresult sim_cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
				   unsigned int isEnabled)
{
	CUgraphNode node;

	if (!sim_handle_is(hGraphExec, SIM_KIND_EXEC))
		return CUDA_ERROR_INVALID_VALUE;
	node = find_copy(hGraphExec->graph, hNode);
	if (!node || !can_be_disabled(node->type))
		return CUDA_ERROR_INVALID_VALUE;
	node->is_disabled = !isEnabled;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
				   unsigned int *isEnabled)
{
	CUgraphNode node;

	if (!sim_handle_is(hGraphExec, SIM_KIND_EXEC) || !isEnabled)
		return CUDA_ERROR_INVALID_VALUE;
	node = find_copy(hGraphExec->graph, hNode);
	if (!node || !can_be_disabled(node->type))
		return CUDA_ERROR_INVALID_VALUE;
	*isEnabled = !node->is_disabled;
	return CUDA_SUCCESS;
}
