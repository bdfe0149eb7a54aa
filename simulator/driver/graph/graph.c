/* Graphs and nodes as data: building, copying, sorting. */
#include "simulator/driver/graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "simulator/driver/graph/condition.h"
#include "simulator/driver/graph/graph_memory.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/kernel/launch.h"
#include "simulator/driver/module/module.h"
#include "simulator/driver/graph/node_api.h"
#include "simulator/driver/context/thread.h"
#include "simulator/driver/graph/user_object.h"

CUgraph sim_graph_new(void)
{
	CUgraph graph = sim_handle_new(SIM_KIND_GRAPH, sizeof(struct CUgraph_st));

	if (graph)
		graph->id = sim_next_id();
	return graph;
}

static bool append(CUgraphNode **list, size_t *count, CUgraphNode node)
{
	CUgraphNode *grown = *list;

	if (!(*count & (*count - 1))) {
		grown = realloc(*list, (*count ? *count * 2 : 1) * sizeof(CUgraphNode));
		if (!grown)
			return false;
		*list = grown;
	}
	grown[(*count)++] = node;
	return true;
}

static void free_payload(CUgraphNode node)
{
	switch ((int)node->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		free(node->kernel.values);
		free(node->kernel.attrs);
		break;
	case CU_GRAPH_NODE_TYPE_GRAPH:
		if (node->child)
			sim_graph_free(node->child);
		break;
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: free(node->memops.params); break;
	case CU_GRAPH_NODE_TYPE_MEMCPY_BATCH:
	case CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH: sim_node_free_batch(node); break;
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT: sim_semaphores_fini(&node->semaphores); break;
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
	case CU_GRAPH_NODE_TYPE_MEM_FREE: sim_graph_memory_put(node->memory); break;
	case CU_GRAPH_NODE_TYPE_CONDITIONAL: sim_condition_free(&node->condition); break;
	}
}

static void free_node(CUgraphNode node)
{
	sim_handle_remove(node);
	free_payload(node);
	sim_edges_fini(&node->before);
	free(node);
}

void sim_graph_free(CUgraph graph)
{
	size_t i;

	sim_handle_remove(graph);
	for (i = 0; i < graph->count; i++)
		free_node(graph->nodes[i]);
	sim_condition_drop_handles(graph);
	sim_user_references_drop(&graph->objects);
	free(graph->nodes);
	free(graph);
}

static void remove_from(CUgraphNode *list, size_t *count, CUgraphNode node)
{
	size_t i;

	for (i = 0; i < *count; i++)
		if (list[i] == node) {
			memmove(&list[i], &list[i + 1], (*count - i - 1) * sizeof(*list));
			(*count)--;
			return;
		}
}

void sim_node_free(CUgraphNode node)
{
	CUgraph graph = node->graph;
	struct sim_edges *before;
	size_t i, found;

	remove_from(graph->nodes, &graph->count, node);
	for (i = 0; i < graph->count; i++) {
		before = &graph->nodes[i]->before;
		found = sim_edges_find(before, node);
		if (found < before->count)
			sim_edges_remove(before, found);
	}
	free_node(node);
}

CUresult sim_node_depend(CUgraphNode node, CUgraphNode before, const CUgraphEdgeData *data)
{
	if (!sim_handle_is(before, SIM_KIND_NODE) || before->graph != node->graph || before == node)
		return CUDA_ERROR_INVALID_VALUE;
	if (sim_edges_find(&node->before, before) < node->before.count ||
	    (data && !sim_edge_is_possible(before, node, data)))
		return CUDA_ERROR_INVALID_VALUE;
	return sim_edges_add(&node->before, before, data) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_node_new_behind(CUgraph graph, CUgraphNodeType type, const struct sim_edges *before,
			     CUgraphNode *node)
{
	CUresult result = CUDA_SUCCESS;
	size_t i;

	*node = sim_handle_new(SIM_KIND_NODE, sizeof(**node));
	if (!*node)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*node)->graph = graph;
	(*node)->type = type;
	(*node)->local_id = graph->next_local_id++;
	(*node)->context = sim_thread_context();
	for (i = 0; i < before->count && result == CUDA_SUCCESS; i++)
		result = sim_node_depend(*node, before->nodes[i],
					 before->data ? &before->data[i] : NULL);
	if (result == CUDA_SUCCESS && !append(&graph->nodes, &graph->count, *node))
		result = CUDA_ERROR_OUT_OF_MEMORY;
	if (result != CUDA_SUCCESS)
		free_node(*node);
	return result;
}

CUresult sim_node_new(CUgraph graph, CUgraphNodeType type, const CUgraphNode *before, size_t count,
		      CUgraphNode *node)
{
	const struct sim_edges full = {.nodes = (CUgraphNode *)before, .count = count};

	return sim_node_new_behind(graph, type, &full, node);
}

CUresult sim_node_set_kernel(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
	CUfunction function = params->func ? params->func : (CUfunction)params->kern;
	const struct sim_image_kernel *image = sim_function_image(function);
	size_t pointers = (image->param_count + 1) * sizeof(void *);
	void **values = calloc(1, pointers + sim_launch_params_bytes(image, NULL) + 1);
	uint32_t i;

	if (!values)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!sim_launch_copy_params(params, image, NULL, (char *)values + pointers)) {
		free(values);
		return CUDA_ERROR_INVALID_VALUE;
	}
	for (i = 0; i < image->param_count; i++)
		values[i] = (char *)values + pointers + image->params[i].offset_bytes;
	free(node->kernel.values);
	node->kernel.values = values;
	node->kernel.params = *params;
	node->kernel.params.kernelParams = image->param_count ? values : NULL;
	node->kernel.params.extra = NULL;
	return CUDA_SUCCESS;
}

CUresult sim_node_set_attributes(CUgraphNode node, const CUlaunchAttribute *attrs,
				 unsigned int count)
{
	CUlaunchAttribute *copy = count ? calloc(count, sizeof(*copy)) : NULL;

	if (count && !copy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (count)
		memcpy(copy, attrs, count * sizeof(*copy));
	free(node->kernel.attrs);
	node->kernel.attrs = copy;
	node->kernel.attr_count = count;
	return CUDA_SUCCESS;
}

static CUresult copy_kernel(CUgraphNode to, CUgraphNode from)
{
	CUresult result = sim_node_set_kernel(to, &from->kernel.params);

	if (result != CUDA_SUCCESS)
		return result;
	return sim_node_set_attributes(to, from->kernel.attrs, from->kernel.attr_count);
}

CUresult sim_node_set_memops(CUgraphNode node, const CUstreamBatchMemOpParams *params,
			     unsigned int count)
{
	CUstreamBatchMemOpParams *copy = calloc(count, sizeof(*copy));

	if (!copy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(copy, params, count * sizeof(*copy));
	free(node->memops.params);
	node->memops.params = copy;
	node->memops.count = count;
	return CUDA_SUCCESS;
}

static void set_memory(CUgraphNode node, struct sim_graph_memory *memory)
{
	sim_graph_memory_get(memory);
	sim_graph_memory_put(node->memory);
	node->memory = memory;
}

static CUresult copy_child(CUgraphNode to, CUgraphNode from)
{
	CUgraph child = sim_graph_copy(from->child);

	if (!child)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (to->child)
		sim_graph_free(to->child);
	child->is_child = true;
	to->child = child;
	return CUDA_SUCCESS;
}

CUgraph sim_node_inner(const struct CUgraphNode_st *node, size_t index)
{
	if (node->type == CU_GRAPH_NODE_TYPE_GRAPH)
		return index ? NULL : node->child;
	if (node->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
		return index < node->condition.params.size ? node->condition.bodies[index] : NULL;
	return NULL;
}

static bool has_type(CUgraph graph, CUgraphNodeType type)
{
	size_t i;

	for (i = 0; i < graph->count; i++)
		if (graph->nodes[i]->type == type)
			return true;
	return false;
}

bool sim_graph_has_memory(CUgraph graph)
{
	return has_type(graph, CU_GRAPH_NODE_TYPE_MEM_ALLOC) ||
	       has_type(graph, CU_GRAPH_NODE_TYPE_MEM_FREE);
}

bool sim_graph_is_fixed(CUgraph graph)
{
	return sim_graph_has_memory(graph) || has_type(graph, CU_GRAPH_NODE_TYPE_CONDITIONAL);
}

CUresult sim_node_copy_payload(CUgraphNode to, CUgraphNode from)
{
	to->context = from->context;
	switch ((int)from->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL: return copy_kernel(to, from);
	case CU_GRAPH_NODE_TYPE_MEMCPY: to->copy = from->copy; return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_MEMSET: to->fill = from->fill; return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_HOST: to->host = from->host; return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT: to->event = from->event; return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_EMPTY: return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_GRAPH: return copy_child(to, from);
	case CU_GRAPH_NODE_TYPE_MEMCPY_BATCH:
	case CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH: return sim_node_copy_batch(to, from);
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		return sim_node_set_memops(to, from->memops.params, from->memops.count);
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
		return sim_semaphores_copy(&to->semaphores, &from->semaphores);
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
	case CU_GRAPH_NODE_TYPE_MEM_FREE: set_memory(to, from->memory); return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		return sim_condition_copy(&to->condition, &from->condition);
	}
	return CUDA_ERROR_NOT_SUPPORTED;
}

/* Dependencies on nodes of one graph become those on the nodes at the same places of another. */
static bool copy_edges(CUgraph copy, CUgraphNode to, const struct sim_edges *before)
{
	size_t i;

	for (i = 0; i < before->count; i++)
		if (sim_node_depend(to, copy->nodes[before->nodes[i]->index], &before->data[i]) !=
		    CUDA_SUCCESS)
			return false;
	return true;
}

/* The nodes first, then their dependencies by position. */
static bool copy_nodes(CUgraph copy, CUgraph graph)
{
	CUgraphNode node;
	size_t i;

	for (i = 0; i < graph->count; i++) {
		graph->nodes[i]->index = i;
		if (sim_node_new(copy, graph->nodes[i]->type, NULL, 0, &node) != CUDA_SUCCESS)
			return false;
		node->origin = graph->nodes[i];
		node->place = i + 1;
		if (sim_node_copy_payload(node, graph->nodes[i]) != CUDA_SUCCESS)
			return false;
	}
	for (i = 0; i < graph->count; i++)
		if (!copy_edges(copy, copy->nodes[i], &graph->nodes[i]->before))
			return false;
	return true;
}

CUgraph sim_graph_copy(CUgraph graph)
{
	CUgraph copy = sim_graph_new();

	if (!copy)
		return NULL;
	copy->origin = graph;
	if (sim_user_references_copy(&copy->objects, graph->objects) && copy_nodes(copy, graph))
		return copy;
	sim_graph_free(copy);
	return NULL;
}

/* Are all dependencies of the node among the first `placed` nodes? */
static bool is_free(CUgraphNode node, size_t placed)
{
	size_t i;

	for (i = 0; i < node->before.count; i++)
		if (node->before.nodes[i]->index >= placed)
			return false;
	return true;
}

/*
 * Mostly the order of creation is right already. Each pass moves every node that has become free
 * to the front; a pass without progress means a cycle.
 */
bool sim_graph_sort(CUgraph graph)
{
	size_t i, before, placed = 0;
	CUgraphNode node;

	for (i = 0; i < graph->count; i++)
		graph->nodes[i]->index = SIZE_MAX;
	do {
		before = placed;
		for (i = placed; i < graph->count; i++) {
			node = graph->nodes[i];
			if (!is_free(node, placed))
				continue;
			graph->nodes[i] = graph->nodes[placed];
			graph->nodes[placed] = node;
			node->index = placed++;
		}
	} while (placed > before && placed < graph->count);
	return placed == graph->count;
}
