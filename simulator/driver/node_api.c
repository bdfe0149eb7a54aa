/* The graph functions of the API that add nodes and read or change what they do. */
#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/context.h"
#include "simulator/driver/graph.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/launch.h"
#include "simulator/driver/memory.h"
#include "simulator/driver/module.h"
#include "simulator/driver/thread.h"

static CUresult check_node(CUgraphNode node, CUgraphNodeType type, const void *params)
{
	if (!sim_handle_is(node, SIM_KIND_NODE) || node->type != type || !params)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

static CUresult add_node(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
			 CUgraphNodeType type, const void *params)
{
	if (!node || !sim_handle_is(graph, SIM_KIND_GRAPH) || (count && !before) || !params)
		return CUDA_ERROR_INVALID_VALUE;
	return sim_node_new(graph, type, before, count, node);
}

/* A node whose payload was refused goes again. */
static CUresult end_add(CUgraphNode *node, CUresult result)
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
	CUresult result = add_node(phGraphNode, hGraph, dependencies, numDependencies,
				   CU_GRAPH_NODE_TYPE_KERNEL, nodeParams);

	if (result != CUDA_SUCCESS)
		return result;
	return end_add(phGraphNode, set_kernel(*phGraphNode, nodeParams));
}

CUresult sim_cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	CUresult result = check_node(hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams);

	if (result == CUDA_SUCCESS)
		*nodeParams = hNode->kernel.params;
	return result;
}

CUresult sim_cuGraphKernelNodeSetParams_v2(CUgraphNode hNode,
					   const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	CUresult result = check_node(hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams);

	return result == CUDA_SUCCESS ? set_kernel(hNode, nodeParams) : result;
}

static CUresult set_copy(CUgraphNode node, const CUDA_MEMCPY3D *params)
{
	struct sim_copy_spec spec;
	CUresult result = sim_copy_from_3d(params, &spec);

	if (result == CUDA_SUCCESS)
		node->copy = spec;
	return result;
}

CUresult sim_cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
				  const CUgraphNode *dependencies, size_t numDependencies,
				  const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
	CUresult result = sim_context_check(ctx);

	if (result == CUDA_SUCCESS)
		result = add_node(phGraphNode, hGraph, dependencies, numDependencies,
				  CU_GRAPH_NODE_TYPE_MEMCPY, copyParams);
	if (result != CUDA_SUCCESS)
		return result;
	(*phGraphNode)->context = ctx;
	return end_add(phGraphNode, set_copy(*phGraphNode, copyParams));
}

CUresult sim_cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams)
{
	CUresult result = check_node(hNode, CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams);

	if (result == CUDA_SUCCESS)
		sim_copy_to_3d(&hNode->copy, nodeParams);
	return result;
}

CUresult sim_cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams)
{
	CUresult result = check_node(hNode, CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams);

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
		result = add_node(phGraphNode, hGraph, dependencies, numDependencies,
				  CU_GRAPH_NODE_TYPE_MEMSET, memsetParams);
	if (result != CUDA_SUCCESS)
		return result;
	(*phGraphNode)->context = ctx;
	return end_add(phGraphNode, set_fill(*phGraphNode, memsetParams));
}

CUresult sim_cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
	CUresult result = check_node(hNode, CU_GRAPH_NODE_TYPE_MEMSET, nodeParams);

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
	CUresult result = check_node(hNode, CU_GRAPH_NODE_TYPE_MEMSET, nodeParams);

	return result == CUDA_SUCCESS ? set_fill(hNode, nodeParams) : result;
}

CUresult sim_cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph,
				const CUgraphNode *dependencies, size_t numDependencies,
				const CUDA_HOST_NODE_PARAMS *nodeParams)
{
	CUresult result;

	if (!nodeParams || !nodeParams->fn)
		return CUDA_ERROR_INVALID_VALUE;
	result = add_node(phGraphNode, hGraph, dependencies, numDependencies,
			  CU_GRAPH_NODE_TYPE_HOST, nodeParams);
	if (result == CUDA_SUCCESS)
		(*phGraphNode)->host = *nodeParams;
	return result;
}

CUresult sim_cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams)
{
	CUresult result = check_node(hNode, CU_GRAPH_NODE_TYPE_HOST, nodeParams);

	if (result == CUDA_SUCCESS)
		*nodeParams = hNode->host;
	return result;
}

CUresult sim_cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
	CUresult result = check_node(hNode, CU_GRAPH_NODE_TYPE_HOST, nodeParams);

	if (result != CUDA_SUCCESS || !nodeParams->fn)
		return CUDA_ERROR_INVALID_VALUE;
	hNode->host = *nodeParams;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
				 const CUgraphNode *dependencies, size_t numDependencies)
{
	return add_node(phGraphNode, hGraph, dependencies, numDependencies,
			CU_GRAPH_NODE_TYPE_EMPTY, hGraph);
}

static CUresult add_event(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
			  CUgraphNodeType type, CUevent event)
{
	CUresult result;

	if (!sim_handle_is(event, SIM_KIND_EVENT))
		return CUDA_ERROR_INVALID_VALUE;
	result = add_node(node, graph, before, count, type, event);
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
	CUresult result = check_node(hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event_out);

	if (result == CUDA_SUCCESS)
		*event_out = hNode->event;
	return result;
}

CUresult sim_cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
	CUresult result = check_node(hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event_out);

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
	copy = sim_graph_copy(childGraph);
	if (!copy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	copy->is_child = true;
	result = add_node(phGraphNode, hGraph, dependencies, numDependencies,
			  CU_GRAPH_NODE_TYPE_GRAPH, copy);
	if (result == CUDA_SUCCESS)
		(*phGraphNode)->child = copy;
	else
		sim_graph_free(copy);
	return result;
}

CUresult sim_cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph)
{
	CUresult result = check_node(hNode, CU_GRAPH_NODE_TYPE_GRAPH, phGraph);

	if (result == CUDA_SUCCESS)
		*phGraph = hNode->child;
	return result;
}

/* The general form, for the kinds that have functions of their own above. */
CUresult sim_cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
			       const CUgraphNode *dependencies,
			       const CUgraphEdgeData *dependencyData, size_t numDependencies,
			       CUgraphNodeParams *params)
{
	CUDA_KERNEL_NODE_PARAMS kernel;

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_edges_are_plain(dependencyData, numDependencies))
		return sim_call_unsupported("graph edges with data");
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
			phGraphNode, hGraph, dependencies, numDependencies,
			&(CUDA_MEMSET_NODE_PARAMS){params->memset.dst, params->memset.pitch,
						   params->memset.value, params->memset.elementSize,
						   params->memset.width, params->memset.height},
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
	}
	return sim_call_unsupported("cuGraphAddNode with this type of node");
}
