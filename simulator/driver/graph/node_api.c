/* The graph functions of the API that add nodes and read or change what they do. */
#include "simulator/driver/graph/node_api.h"

#include "simulator/driver/api.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/kernel/launch.h"

CUresult sim_node_check(CUgraphNode node, CUgraphNodeType type, const void *params)
{
	if (!sim_handle_is(node, SIM_KIND_NODE) || node->type != type || !params)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

CUresult sim_node_add(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
		      CUgraphNodeType type, const void *params)
{
	if (!node || !sim_handle_is(graph, SIM_KIND_GRAPH) || (count && !before) || !params)
		return CUDA_ERROR_INVALID_VALUE;
	return sim_node_new(graph, type, before, count, node);
}

CUresult sim_node_end_add(CUgraphNode *node, CUresult result)
{
	if (result != CUDA_SUCCESS) {
		sim_node_free(*node);
		*node = NULL;
	}
	return result;
}

static CUresult set_kernel(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
	CUresult result = sim_launch_check(params, params->ctx ? params->ctx : node->context);

	return result == CUDA_SUCCESS ? sim_node_set_kernel(node, params) : result;
}

CUresult sim_cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
				     const CUgraphNode *dependencies, size_t numDependencies,
				     const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	CUresult result = sim_node_add(phGraphNode, hGraph, dependencies, numDependencies,
				       CU_GRAPH_NODE_TYPE_KERNEL, nodeParams);

	if (result != CUDA_SUCCESS)
		return result;
	return sim_node_end_add(phGraphNode, set_kernel(*phGraphNode, nodeParams));
}

CUresult sim_cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams);

	if (result == CUDA_SUCCESS)
		*nodeParams = hNode->kernel.params;
	return result;
}

CUresult sim_cuGraphKernelNodeSetParams_v2(CUgraphNode hNode,
					   const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams);

	return result == CUDA_SUCCESS ? set_kernel(hNode, nodeParams) : result;
}

static CUresult set_copy(CUgraphNode node, const CUDA_MEMCPY3D *params)
{
	struct sim_copy_spec spec;
	CUresult result = sim_copy_from_3d(params, &spec);

	if (result != CUDA_SUCCESS)
		return result;
	node->copy = spec;
	sim_copy_keep_locked(&node->copy);
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
				  const CUgraphNode *dependencies, size_t numDependencies,
				  const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
	CUresult result = sim_context_check(ctx);

	if (result == CUDA_SUCCESS)
		result = sim_node_add(phGraphNode, hGraph, dependencies, numDependencies,
				      CU_GRAPH_NODE_TYPE_MEMCPY, copyParams);
	if (result != CUDA_SUCCESS)
		return result;
	(*phGraphNode)->context = ctx;
	return sim_node_end_add(phGraphNode, set_copy(*phGraphNode, copyParams));
}

CUresult sim_cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams);

	if (result == CUDA_SUCCESS)
		sim_copy_to_3d(&hNode->copy, nodeParams);
	return result;
}

CUresult sim_cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams);

	return result == CUDA_SUCCESS ? set_copy(hNode, nodeParams) : result;
}

static CUresult set_fill(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params)
{
	if (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4)
		return CUDA_ERROR_INVALID_VALUE;
	node->fill = (struct sim_fill_spec){.dst = params->dst,
					    .pitch_bytes = params->pitch,
					    .value = params->value,
					    .element_bytes = params->elementSize,
					    .width = params->width,
					    .height = params->height};
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph,
				  const CUgraphNode *dependencies, size_t numDependencies,
				  const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
	CUresult result = sim_context_check(ctx);

	if (result == CUDA_SUCCESS)
		result = sim_node_add(phGraphNode, hGraph, dependencies, numDependencies,
				      CU_GRAPH_NODE_TYPE_MEMSET, memsetParams);
	if (result != CUDA_SUCCESS)
		return result;
	(*phGraphNode)->context = ctx;
	return sim_node_end_add(phGraphNode, set_fill(*phGraphNode, memsetParams));
}

CUresult sim_cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_MEMSET, nodeParams);

	if (result == CUDA_SUCCESS)
		*nodeParams = (CUDA_MEMSET_NODE_PARAMS){.dst = hNode->fill.dst,
							.pitch = hNode->fill.pitch_bytes,
							.value = hNode->fill.value,
							.elementSize = hNode->fill.element_bytes,
							.width = hNode->fill.width,
							.height = hNode->fill.height};
	return result;
}

CUresult sim_cuGraphMemsetNodeSetParams(CUgraphNode hNode,
					const CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_MEMSET, nodeParams);

	return result == CUDA_SUCCESS ? set_fill(hNode, nodeParams) : result;
}

CUresult sim_cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph,
				const CUgraphNode *dependencies, size_t numDependencies,
				const CUDA_HOST_NODE_PARAMS *nodeParams)
{
	CUresult result;

	if (!nodeParams || !nodeParams->fn)
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_node_add(phGraphNode, hGraph, dependencies, numDependencies,
			      CU_GRAPH_NODE_TYPE_HOST, nodeParams);
	if (result == CUDA_SUCCESS)
		(*phGraphNode)->host = *nodeParams;
	return result;
}

CUresult sim_cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_HOST, nodeParams);

	if (result == CUDA_SUCCESS)
		*nodeParams = hNode->host;
	return result;
}

CUresult sim_cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_HOST, nodeParams);

	if (result != CUDA_SUCCESS || !nodeParams->fn)
		return CUDA_ERROR_INVALID_VALUE;
	hNode->host = *nodeParams;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
				 const CUgraphNode *dependencies, size_t numDependencies)
{
	return sim_node_add(phGraphNode, hGraph, dependencies, numDependencies,
			    CU_GRAPH_NODE_TYPE_EMPTY, hGraph);
}

static CUresult add_event(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
			  CUgraphNodeType type, CUevent event)
{
	CUresult result;

	if (!sim_handle_is(event, SIM_KIND_EVENT))
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_node_add(node, graph, before, count, type, event);
	if (result == CUDA_SUCCESS)
		(*node)->event = event;
	return result;
}

CUresult sim_cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph,
				       const CUgraphNode *dependencies, size_t numDependencies,
				       CUevent event)
{
	return add_event(phGraphNode, hGraph, dependencies, numDependencies,
			 CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CUresult sim_cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
				     const CUgraphNode *dependencies, size_t numDependencies,
				     CUevent event)
{
	return add_event(phGraphNode, hGraph, dependencies, numDependencies,
			 CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}

CUresult sim_cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event_out);

	if (result == CUDA_SUCCESS)
		*event_out = hNode->event;
	return result;
}

CUresult sim_cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event_out);

	if (result == CUDA_SUCCESS)
		*event_out = hNode->event;
	return result;
}

CUresult sim_cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph,
				      const CUgraphNode *dependencies, size_t numDependencies,
				      CUgraph childGraph)
{
	CUgraph copy;
	CUresult result;

	if (!sim_handle_is(childGraph, SIM_KIND_GRAPH) || childGraph == hGraph)
		return CUDA_ERROR_INVALID_VALUE;
	if (sim_graph_has_memory(childGraph)) /* G-13 */
		return CUDA_ERROR_NOT_SUPPORTED;
	copy = sim_graph_copy(childGraph);
	if (!copy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	copy->is_child = true;
	result = sim_node_add(phGraphNode, hGraph, dependencies, numDependencies,
			      CU_GRAPH_NODE_TYPE_GRAPH, copy);
	if (result == CUDA_SUCCESS)
		(*phGraphNode)->child = copy;
	else
		sim_graph_free(copy);
	return result;
}

CUresult sim_cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_GRAPH, phGraph);

	if (result == CUDA_SUCCESS)
		*phGraph = hNode->child;
	return result;
}
