/* Handles of conditions, and the bodies of the nodes that read them. */
#include "simulator/driver/graph/condition.h"

#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/context/thread.h"

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
	handle->refs = 1;
	handle->initial = defaultLaunchValue;
	handle->has_initial = flags & CU_GRAPH_COND_ASSIGN_DEFAULT;
	handle->next = hGraph->handles;
	hGraph->handles = handle;
	*pHandle_out = (CUgraphConditionalHandle)(uintptr_t)handle;
	return CUDA_SUCCESS;
}

void sim_condition_get(struct sim_condition_handle *handle)
{
	handle->refs++;
}

void sim_condition_put(struct sim_condition_handle *handle)
{
	if (!handle || --handle->refs)
		return;
	sim_handle_remove(handle);
	free(handle);
}

void sim_condition_drop_handles(CUgraph graph)
{
	struct sim_condition_handle *handle;

	while ((handle = graph->handles)) {
		graph->handles = handle->next;
		handle->graph = NULL;
		sim_condition_put(handle);
	}
}

void sim_condition_set(uint64_t handle, unsigned int value)
{
	struct sim_condition_handle *known = (struct sim_condition_handle *)(uintptr_t)handle;

	if (sim_handle_is(known, SIM_KIND_CONDITION))
		known->value = value;
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
	sim_condition_put(condition->handle);
	condition->bodies = NULL;
	condition->handle = NULL;
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
	struct sim_condition_handle *handle = (void *)(uintptr_t)params->handle;
	CUresult result;

	if (!sim_handle_is(handle, SIM_KIND_CONDITION) || !is_size(params->type, params->size) ||
	    !handle->graph || (!graph->is_child && handle->graph != graph) ||
	    (params->ctx && params->ctx != handle->context))
		return CUDA_ERROR_INVALID_VALUE;
	condition->params = *params;
	condition->params.ctx = handle->context;
	result = fill_bodies(condition, NULL, params->size);
	if (result != CUDA_SUCCESS)
		return result;
	sim_condition_get(handle);
	condition->handle = handle;
	params->phGraph_out = condition->bodies;
	return CUDA_SUCCESS;
}

void sim_condition_take_handle(struct sim_condition *to, const struct sim_condition *from)
{
	sim_condition_get(from->handle);
	sim_condition_put(to->handle);
	to->handle = from->handle;
	to->params.handle = from->params.handle;
}

CUresult sim_condition_copy(struct sim_condition *to, const struct sim_condition *from)
{
	struct sim_condition copy = {.params = from->params};
	CUresult result = fill_bodies(&copy, from->bodies, from->params.size);

	if (result != CUDA_SUCCESS)
		return result;
	sim_condition_get(from->handle);
	copy.handle = from->handle;
	sim_condition_free(to);
	*to = copy;
	return CUDA_SUCCESS;
}

unsigned int sim_condition_choose(CUgraphConditionalNodeType type, unsigned int size,
				  unsigned int value)
{
	switch ((int)type) {
	case CU_GRAPH_COND_TYPE_IF: return value ? 0 : 1; /* of one body, that is none */
	case CU_GRAPH_COND_TYPE_WHILE: return value ? 0 : size;
	case CU_GRAPH_COND_TYPE_SWITCH: return value < size ? value : size;
	}
	return size;
}
