/* Instances of graphs: making, uploading, destroying them (rules G-7, G-9, G-11). */
#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/capture.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/graph/graph_memory.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/kernel/launch.h"
#include "simulator/driver/graph/node_bytes.h"
#include "simulator/driver/stream/stream.h"
#include "simulator/driver/tool/tool.h"
#include "simulator/driver/graph/user_object.h"

#define KNOWN_FLAGS                                                                             \
	(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD | \
	 CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH |                                            \
	 CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY)

bool sim_graph_sort_all(CUgraph graph)
{
	CUgraph inner;
	size_t i, j;

	if (!sim_graph_sort(graph))
		return false;
	for (i = 0; i < graph->count; i++)
		for (j = 0; (inner = sim_node_inner(graph->nodes[i], j)); j++)
			if (!sim_graph_sort_all(inner))
				return false;
	return true;
}

static bool add_level(CUgraph **levels, size_t *count, CUgraph graph)
{
	CUgraph *grown = realloc(*levels, (*count + 1) * sizeof(CUgraph));

	if (!grown)
		return false;
	*levels = grown;
	grown[(*count)++] = graph;
	return true;
}

/* The numbers of one level, and the levels inside of it. */
static bool number_level(CUgraph graph, CUgraph **levels, size_t *count, size_t *next)
{
	CUgraph inner;
	size_t i, j;

	for (i = 0; i < graph->count; i++)
		graph->nodes[i]->number = (uint32_t)(*next)++;
	for (i = 0; i < graph->count; i++)
		for (j = 0; (inner = sim_node_inner(graph->nodes[i], j)); j++)
			if (!add_level(levels, count, inner))
				return false;
	return true;
}

size_t sim_graph_number(CUgraph graph)
{
	size_t i, count = 0, next = 0;
	CUgraph *levels = NULL;
	bool done = add_level(&levels, &count, graph);

	for (i = 0; done && i < count; i++)
		done = number_level(levels[i], &levels, &count, &next);
	free(levels);
	return done ? next : 0;
}

/* Bodies of conditions take these types of nodes only (G-9); memory stays in outermost graphs. */
static bool is_allowed(CUgraphNodeType type, bool in_body, bool is_inner)
{
	switch ((int)type) {
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
	case CU_GRAPH_NODE_TYPE_MEM_FREE: return !is_inner;
	case CU_GRAPH_NODE_TYPE_HOST:
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
	case CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH: return !in_body;
	}
	return true;
}

static CUresult check_kernel(CUgraphNode node)
{
	CUresult result = sim_launch_check(&node->kernel.params, node->context);
	uint32_t unused[3];

	return result == CUDA_SUCCESS ? sim_launch_cluster(&node->kernel.params, node->kernel.attrs,
							   node->kernel.attr_count, unused)
				      : result;
}

/* A fill of memory that was freed is refused (an H200 does so). Memory of graphs, of this one or of
 * the one around it, may be there later. */
static CUresult check_fill(CUgraphNode node)
{
	return sim_memory_find(node->fill.dst) || sim_graph_memory_around(node->fill.dst)
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_INVALID_VALUE;
}

/* What a driver checks before it accepts a graph: types, that kernels can be launched, and that
 * what is filled is there. */
static CUresult check_nodes(CUgraph graph, bool in_body, bool is_inner)
{
	CUresult result = CUDA_SUCCESS;
	CUgraphNode node;
	CUgraph inner;
	size_t i, j;

	for (i = 0; i < graph->count && result == CUDA_SUCCESS; i++) {
		node = graph->nodes[i];
		if (!is_allowed(node->type, in_body, is_inner))
			return CUDA_ERROR_NOT_SUPPORTED;
		if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
			result = check_kernel(node);
		else if (node->type == CU_GRAPH_NODE_TYPE_MEMSET)
			result = check_fill(node);
		for (j = 0; result == CUDA_SUCCESS && (inner = sim_node_inner(node, j)); j++)
			result = check_nodes(
				inner, in_body || node->type == CU_GRAPH_NODE_TYPE_CONDITIONAL,
				true);
	}
	return result;
}

/* G-14: work of the device only. The device never launches it here, since kernels do not run. */
static bool is_launchable(CUgraph graph)
{
	size_t i;

	for (i = 0; i < graph->count; i++)
		switch ((int)graph->nodes[i]->type) {
		case CU_GRAPH_NODE_TYPE_KERNEL:
		case CU_GRAPH_NODE_TYPE_MEMCPY:
		case CU_GRAPH_NODE_TYPE_MEMSET: break;
		case CU_GRAPH_NODE_TYPE_GRAPH:
			if (!is_launchable(graph->nodes[i]->child))
				return false;
			break;
		default: return false;
		}
	return true;
}

static CUresult instantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	CUresult result;

	if (!exec || (flags & ~(unsigned long long)KNOWN_FLAGS))
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(graph, SIM_KIND_GRAPH))
		return CUDA_ERROR_INVALID_VALUE;
	if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) {
		if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH)
			return CUDA_ERROR_INVALID_VALUE;
		if (!is_launchable(graph))
			return CUDA_ERROR_NOT_SUPPORTED;
	}
	result = check_nodes(graph, false, false);
	if (result == CUDA_SUCCESS)
		result = sim_graph_memory_check_instance(graph);
	if (result != CUDA_SUCCESS)
		return result;
	*exec = sim_handle_new(SIM_KIND_EXEC, sizeof(**exec));
	if (!*exec)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*exec)->flags = flags;
	(*exec)->id = sim_next_id();
	(*exec)->graph = sim_graph_copy(graph);
	if ((*exec)->graph)
		(*exec)->bytes = sim_exec_bytes_new(sim_graph_number((*exec)->graph));
	if ((*exec)->graph && sim_graph_sort_all((*exec)->graph)) {
		sim_graph_memory_mark_instance((*exec)->graph, true);
		return CUDA_SUCCESS;
	}
	result = (*exec)->graph ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY;
	if ((*exec)->graph)
		sim_graph_free((*exec)->graph);
	sim_handle_remove(*exec);
	sim_exec_bytes_put((*exec)->bytes);
	free(*exec);
	return result;
}

CUresult sim_cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
					 unsigned long long flags)
{
	return instantiate(phGraphExec, hGraph, flags);
}

CUresult sim_cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph,
				   CUgraphNode *phErrorNode, char *logBuffer, size_t bufferSize)
{
	if (phErrorNode)
		*phErrorNode = NULL;
	if (logBuffer && bufferSize)
		logBuffer[0] = 0;
	return instantiate(phGraphExec, hGraph, 0);
}

CUresult sim_cuGraphInstantiate(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode,
				char *logBuffer, size_t bufferSize)
{
	return sim_cuGraphInstantiate_v2(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

CUresult sim_cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
					  CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams)
{
	CUresult result;

	if (!instantiateParams)
		return CUDA_ERROR_INVALID_VALUE;
	result = instantiate(phGraphExec, hGraph, instantiateParams->flags);
	instantiateParams->hErrNode_out = NULL;
	instantiateParams->result_out = result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS
							       : CUDA_GRAPH_INSTANTIATE_ERROR;
	if (result == CUDA_SUCCESS &&
	    (instantiateParams->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD))
		result = sim_cuGraphUpload(*phGraphExec, instantiateParams->hUploadStream);
	return result;
}

/* An op that runs nothing, after the stream's work and the exec's last launch (G-7). */
CUresult sim_cuGraphUpload(CUgraphExec hGraph, CUstream hStream)
{
	CUstream stream;
	CUresult result = sim_stream_get_for_work(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!sim_handle_is(hGraph, SIM_KIND_EXEC))
		return CUDA_ERROR_INVALID_VALUE;
	if (stream->capture)
		return sim_capture_break(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	if (sim_tool()) {
		result = sim_tool()->graph(hGraph, stream, true);
		sim_tool_launched();
		if (result == CUDA_SUCCESS)
			result = sim_stream_get_for_work(hStream, &stream);
		if (result == CUDA_SUCCESS && !sim_handle_is(hGraph, SIM_KIND_EXEC))
			result = CUDA_ERROR_INVALID_VALUE;
		if (result != CUDA_SUCCESS)
			return result;
	}
	result = sim_stream_join(stream, hGraph->last);
	if (result == CUDA_SUCCESS)
		sim_op_set(&hGraph->last, stream->tail);
	return result;
}

/* Launches in flight hold their own copies of everything (G-11). */
CUresult sim_cuGraphExecDestroy(CUgraphExec hGraphExec)
{
	if (!sim_handle_is(hGraphExec, SIM_KIND_EXEC))
		return CUDA_ERROR_INVALID_VALUE;
	sim_handle_remove(hGraphExec);
	sim_user_references_drop_after(hGraphExec->graph, hGraphExec->last);
	sim_op_put(hGraphExec->last);
	sim_graph_memory_mark_instance(hGraphExec->graph, false);
	sim_graph_free(hGraphExec->graph);
	sim_exec_bytes_put(hGraphExec->bytes);
	free(hGraphExec);
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags)
{
	if (!sim_handle_is(hGraphExec, SIM_KIND_EXEC) || !flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = hGraphExec->flags;
	return CUDA_SUCCESS;
}
