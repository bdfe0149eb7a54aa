/* Creating condition handles, and choosing bodies by their values. */
#include "simulator/driver/condition.h"

#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/context.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/thread.h"

#define MOST_BODIES 65536

CUresult sim_cuGraphConditionalHandleCreate(CUgraphConditionalHandle *pHandle_out, CUgraph hGraph,
					    CUcontext ctx, unsigned int defaultLaunchValue,
					    unsigned int flags)
{
	CUcontext context = ctx ? ctx : sim_thread_context();
	struct sim_condition_handle *handle;
	CUresult result;

	if (!pHandle_out || !sim_handle_is(hGraph, SIM_KIND_GRAPH) ||
	    (flags & ~(unsigned int)CU_GRAPH_COND_ASSIGN_DEFAULT))
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_context_check(context);
	if (result != CUDA_SUCCESS)
		return result;
	handle = sim_handle_new(SIM_KIND_CONDITION, sizeof(*handle));
	if (!handle)
		return CUDA_ERROR_OUT_OF_MEMORY;
	handle->graph = hGraph;
	handle->context = context;
	handle->value = flags & CU_GRAPH_COND_ASSIGN_DEFAULT ? defaultLaunchValue : 0;
	handle->next = hGraph->handles;
	hGraph->handles = handle;
	*pHandle_out = (CUgraphConditionalHandle)(uintptr_t)handle;
	return CUDA_SUCCESS;
}

void sim_condition_free_handles(CUgraph graph)
{
	struct sim_condition_handle *handle;

	while ((handle = graph->handles)) {
		graph->handles = handle->next;
		sim_handle_remove(handle);
		free(handle);
	}
}

static bool is_size(CUgraphConditionalNodeType type, unsigned int size)
{
	switch ((int)type) {
	case CU_GRAPH_COND_TYPE_IF: return size == 1 || size == 2;
	case CU_GRAPH_COND_TYPE_WHILE: return size == 1;
	case CU_GRAPH_COND_TYPE_SWITCH: return size && size <= MOST_BODIES;
	}
	return false;
}

void sim_condition_free(struct sim_condition *condition)
{
	unsigned int i;

	for (i = 0; condition->bodies && i < condition->params.size; i++)
		if (condition->bodies[i])
			sim_graph_free(condition->bodies[i]);
	free(condition->bodies);
	condition->bodies = NULL;
	condition->params.size = 0;
}

/* New bodies: empty ones, or copies of the given ones. */
static CUresult fill_bodies(struct sim_condition *condition, CUgraph *originals, unsigned int size)
{
	unsigned int i;

	condition->bodies = calloc(size, sizeof(CUgraph));
	if (!condition->bodies)
		return CUDA_ERROR_OUT_OF_MEMORY;
	condition->params.size = size;
	for (i = 0; i < size; i++) {
		condition->bodies[i] = originals ? sim_graph_copy(originals[i]) : sim_graph_new();
		if (!condition->bodies[i]) {
			sim_condition_free(condition);
			return CUDA_ERROR_OUT_OF_MEMORY;
		}
		condition->bodies[i]->is_child = true;
	}
	condition->params.phGraph_out = condition->bodies;
	return CUDA_SUCCESS;
}

/* The outermost graph decides: a node in a body uses a handle of its own graph or of that one. */
CUresult sim_condition_init(struct sim_condition *condition, CUgraph graph,
			    CUDA_CONDITIONAL_NODE_PARAMS *params)
{
	const struct sim_condition_handle *handle = (const void *)(uintptr_t)params->handle;
	CUresult result;

	if (!sim_handle_is(handle, SIM_KIND_CONDITION) || !is_size(params->type, params->size) ||
	    (!graph->is_child && handle->graph != graph) ||
	    (params->ctx && params->ctx != handle->context))
		return CUDA_ERROR_INVALID_VALUE;
	condition->params = *params;
	condition->params.ctx = handle->context;
	condition->value = handle->value;
	result = fill_bodies(condition, NULL, params->size);
	if (result == CUDA_SUCCESS)
		params->phGraph_out = condition->bodies;
	return result;
}

CUresult sim_condition_copy(struct sim_condition *to, const struct sim_condition *from)
{
	struct sim_condition copy = {.params = from->params, .value = from->value};
	CUresult result = fill_bodies(&copy, from->bodies, from->params.size);

	if (result != CUDA_SUCCESS)
		return result;
	sim_condition_free(to);
	*to = copy;
	return CUDA_SUCCESS;
}

CUgraph sim_condition_choose(const struct sim_condition *condition)
{
	unsigned int size = condition->params.size, value = condition->value;

	switch ((int)condition->params.type) {
	case CU_GRAPH_COND_TYPE_IF:
		if (value)
			return condition->bodies[0];
		return size > 1 ? condition->bodies[1] : NULL;
	case CU_GRAPH_COND_TYPE_WHILE: return value ? condition->bodies[0] : NULL;
	case CU_GRAPH_COND_TYPE_SWITCH: return value < size ? condition->bodies[value] : NULL;
	}
	return NULL;
}
