/* Updating an exec from a graph of the same structure (rule G-10). */
#include "simulator/driver/api.h"
#include "simulator/driver/graph/condition.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/graph/node_api.h"
#include "simulator/driver/graph/node_bytes.h"
#include "simulator/driver/graph/user_object.h"

static bool differs(CUgraphExecUpdateResultInfo *info, CUgraphExecUpdateResult result,
		    CUgraphNode node, CUgraphNode from)
{
	*info = (CUgraphExecUpdateResultInfo){
		.result = result, .errorNode = node, .errorFromNode = from};
	return false;
}

/* The edge of `a` that `b` does not have; both lists refer to positions. NULL: none. */
static CUgraphNode missing_edge(CUgraphNode a, CUgraphNode b)
{
	size_t i, j;

	for (i = 0; i < a->before.count; i++) {
		for (j = 0; j < b->before.count; j++)
			if (a->before.nodes[i]->index == b->before.nodes[j]->index &&
			    sim_edge_is_equal(&a->before.data[i], &b->before.data[j]))
				break;
		if (j == b->before.count)
			return a->before.nodes[i];
	}
	return NULL;
}

static bool has_same_edges(CUgraphNode old, CUgraphNode new, CUgraph graph,
			   CUgraphExecUpdateResultInfo *info)
{
	CUgraphNode from = missing_edge(new, old);

	if (!from) {
		from = missing_edge(old, new);
		if (from)
			from = graph->nodes[from->index];
	}
	if (!from)
		return true;
	return differs(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, new->origin,
		       from->origin);
}

static unsigned int place_of(const struct sim_side *side)
{
	const struct sim_alloc *alloc = side->array ? NULL : sim_memory_find(side->address);

	if (side->array)
		return SIM_PLACE_ARRAY;
	return alloc ? alloc->place : SIM_PLACE_PAGEABLE;
}

/* What an update cannot change: contexts, kinds of memory, shapes of fills, kinds of conditions. */
bool sim_node_is_updatable(CUgraphNode old, CUgraphNode new)
{
	switch ((int)old->type) {
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return old->context == new->context &&place_of(&old->copy.dst) ==
			       place_of(&new->copy.dst) &&
		       place_of(&old->copy.src) == place_of(&new->copy.src);
	case CU_GRAPH_NODE_TYPE_MEMCPY_BATCH:
		return old->context ==
		       new->context &&sim_node_may_set_copies(old, &new->batch.copies);
	case CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH:
		return old->context ==
		       new->context &&sim_node_may_set_fabric(old, &new->batch.fabric);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return old->context == new->context &&
		       (old->fill.height > 1) == (new->fill.height > 1);
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		return old->condition.params.type == new->condition.params.type &&
		       old->condition.params.size == new->condition.params.size &&
		       old->condition.params.ctx == new->condition.params.ctx;
	}
	return true;
}

static bool check_node(CUgraphNode old, CUgraphNode new, CUgraphExecUpdateResultInfo *info)
{
	if (old->type != new->type)
		return differs(info, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, new->origin,
			       NULL);
	if (new->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || new->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
		return differs(info, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED, new->origin, NULL);
	if (!sim_node_is_updatable(old, new))
		return differs(info, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, new->origin,
			       NULL);
	return true;
}

/* Both graphs are sorted the same way, so equal structure means equal positions. */
static bool is_same(CUgraph old, CUgraph new, CUgraphExecUpdateResultInfo *info)
{
	CUgraph inner, other;
	size_t i, j;

	if (old->count != new->count)
		return differs(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, NULL, NULL);
	for (i = 0; i < old->count; i++)
		old->nodes[i]->index = new->nodes[i]->index = i;
	for (i = 0; i < old->count; i++)
		if (!has_same_edges(old->nodes[i], new->nodes[i], new, info) ||
		    !check_node(old->nodes[i], new->nodes[i], info))
			return false;
	for (i = 0; i < old->count; i++)
		for (j = 0; (inner = sim_node_inner(old->nodes[i], j)); j++) {
			other = sim_node_inner(new->nodes[i], j);
			if (!is_same(inner, other, info))
				return false;
		}
	return true;
}

bool sim_graph_is_same(CUgraph a, CUgraph b)
{
	CUgraphExecUpdateResultInfo unused;

	return is_same(a, b, &unused);
}

static CUresult take_payloads(CUgraph to, CUgraph from, bool is_whole)
{
	struct sim_user_reference *objects = to->objects;
	CUresult result = CUDA_SUCCESS;
	CUgraph inner;
	size_t i, j;

	to->objects = from->objects;
	from->objects = objects;

	for (i = 0; i < to->count && result == CUDA_SUCCESS; i++) {
		if (is_whole) /* a tool counts the nodes of the new graph from now on */
			to->nodes[i]->number = from->nodes[i]->number;
		if (to->nodes[i]->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
			sim_condition_take_handle(&to->nodes[i]->condition,
						  &from->nodes[i]->condition);
		if (!sim_node_inner(to->nodes[i], 0))
			result = sim_node_copy_payload(to->nodes[i], from->nodes[i]);
		for (j = 0; result == CUDA_SUCCESS && (inner = sim_node_inner(to->nodes[i], j));
		     j++)
			result = take_payloads(inner, sim_node_inner(from->nodes[i], j), is_whole);
	}
	return result;
}

CUresult sim_graph_update(CUgraphExec exec, CUgraph to, CUgraph from,
			  CUgraphExecUpdateResultInfo *info)
{
	CUgraph copy = sim_graph_copy(from);
	CUresult result = CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;

	*info = (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_SUCCESS};
	if (!copy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!sim_graph_number(copy) && copy->count)
		result = CUDA_ERROR_OUT_OF_MEMORY;
	else if (!sim_graph_sort_all(copy))
		info->result = CU_GRAPH_EXEC_UPDATE_ERROR;
	else if (is_same(to, copy, info))
		result = take_payloads(to, copy, to == exec->graph);
	sim_user_references_drop_after(copy, exec->last); /* what it had until now */
	sim_graph_free(copy);
	return result;
}

CUresult sim_cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
				  CUgraphExecUpdateResultInfo *resultInfo)
{
	CUresult result;
	size_t count;

	if (!sim_handle_is(hGraphExec, SIM_KIND_EXEC) || !sim_handle_is(hGraph, SIM_KIND_GRAPH) ||
	    !resultInfo)
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_graph_update(hGraphExec, hGraphExec->graph, hGraph, resultInfo);
	if (result != CUDA_SUCCESS)
		return result;
	count = sim_exec_bytes_count(hGraphExec->bytes);
	sim_exec_bytes_put(hGraphExec->bytes);
	hGraphExec->bytes = sim_exec_bytes_new(count);
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
			       CUgraphExecUpdateResult *updateResult_out)
{
	CUgraphExecUpdateResultInfo info;
	CUresult result;

	if (!hErrorNode_out || !updateResult_out)
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_cuGraphExecUpdate_v2(hGraphExec, hGraph, &info);
	if (result == CUDA_SUCCESS || result == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) {
		*hErrorNode_out = info.errorNode;
		*updateResult_out = info.result;
	}
	return result;
}
