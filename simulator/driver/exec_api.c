/* Changing what the nodes of an exec do; launches in flight keep what they had (rule G-10). */
#include "simulator/driver/api.h"
#include "simulator/driver/context.h"
#include "simulator/driver/graph.h"
#include "simulator/driver/handle.h"

/* The node of a copy that stems from that node, in child graphs as well; NULL if none does. */
static CUgraphNode find_copy(CUgraph graph, CUgraphNode origin)
{
	CUgraphNode found = NULL;
	size_t i;

	for (i = 0; i < graph->count && !found; i++) {
		if (graph->nodes[i]->origin == origin)
			return graph->nodes[i];
		if (graph->nodes[i]->type == CU_GRAPH_NODE_TYPE_GRAPH)
			found = find_copy(graph->nodes[i]->child, origin);
	}
	return found;
}

static CUresult find_node(CUgraphExec exec, CUgraphNode origin, CUgraphNodeType type,
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
		find_node(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams, &node);

	return result == CUDA_SUCCESS ? sim_cuGraphKernelNodeSetParams_v2(node, nodeParams)
				      : result;
}

CUresult sim_cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
					    const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
	CUgraphNode node;
	CUresult result = sim_context_check(ctx);

	if (result == CUDA_SUCCESS)
		result = find_node(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_MEMCPY, copyParams, &node);
	return result == CUDA_SUCCESS ? sim_cuGraphMemcpyNodeSetParams(node, copyParams) : result;
}

CUresult sim_cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
					    const CUDA_MEMSET_NODE_PARAMS *memsetParams,
					    CUcontext ctx)
{
	CUgraphNode node;
	CUresult result = sim_context_check(ctx);

	if (result == CUDA_SUCCESS)
		result = find_node(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_MEMSET, memsetParams,
				   &node);
	return result == CUDA_SUCCESS ? sim_cuGraphMemsetNodeSetParams(node, memsetParams) : result;
}

CUresult sim_cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
					  const CUDA_HOST_NODE_PARAMS *nodeParams)
{
	CUgraphNode node;
	CUresult result = find_node(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_HOST, nodeParams, &node);

	return result == CUDA_SUCCESS ? sim_cuGraphHostNodeSetParams(node, nodeParams) : result;
}

static CUresult set_event(CUgraphExec exec, CUgraphNode origin, CUgraphNodeType type, CUevent event)
{
	CUgraphNode node;
	CUresult result = find_node(exec, origin, type, event, &node);

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

/* Both graphs are sorted the same way, so equal structure means equal positions. */
static CUgraphExecUpdateResult compare(CUgraph old, CUgraph new, CUgraphNode *differs)
{
	CUgraphNode a, b;
	size_t i, j;

	if (old->count != new->count)
		return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
	for (i = 0; i < old->count; i++)
		old->nodes[i]->index = new->nodes[i]->index = i;
	for (i = 0; i < old->count; i++) {
		a = old->nodes[i];
		b = new->nodes[i];
		*differs = b->origin;
		if (a->type != b->type)
			return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
		if (a->before_count != b->before_count)
			return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
		for (j = 0; j < a->before_count; j++)
			if (a->before[j]->index != b->before[j]->index)
				return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
		if (a->type == CU_GRAPH_NODE_TYPE_GRAPH &&
		    compare(a->child, b->child, differs) != CU_GRAPH_EXEC_UPDATE_SUCCESS)
			return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
	}
	*differs = NULL;
	return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

static CUresult take_payloads(CUgraph to, CUgraph from)
{
	CUresult result = CUDA_SUCCESS;
	size_t i;

	for (i = 0; i < to->count && result == CUDA_SUCCESS; i++)
		result = to->nodes[i]->type == CU_GRAPH_NODE_TYPE_GRAPH
				 ? take_payloads(to->nodes[i]->child, from->nodes[i]->child)
				 : sim_node_copy_payload(to->nodes[i], from->nodes[i]);
	return result;
}

CUresult sim_cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
				  CUgraphExecUpdateResultInfo *resultInfo)
{
	CUgraphNode differs = NULL;
	CUgraphExecUpdateResult verdict;
	CUresult result;
	CUgraph new;

	if (!sim_handle_is(hGraphExec, SIM_KIND_EXEC) || !sim_handle_is(hGraph, SIM_KIND_GRAPH) ||
	    !resultInfo)
		return CUDA_ERROR_INVALID_VALUE;
	new = sim_graph_copy(hGraph);
	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	verdict = sim_graph_sort_all(new) ? compare(hGraphExec->graph, new, &differs)
					  : CU_GRAPH_EXEC_UPDATE_ERROR;
	*resultInfo = (CUgraphExecUpdateResultInfo){.result = verdict, .errorNode = differs};
	result = CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
	if (verdict == CU_GRAPH_EXEC_UPDATE_SUCCESS)
		result = take_payloads(hGraphExec->graph, new);
	sim_graph_free(new);
	return result;
}
