/* Resolving the nodes of a graph for one launch. */
#include "simulator/driver/graph/plan.h"

#include <stdlib.h>

#include "simulator/driver/graph/condition.h"
#include "simulator/driver/stream/event.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/kernel/launch.h"
#include "simulator/driver/stream/memop.h"
#include "simulator/driver/tool/tool.h"

static bool is_cooperative(CUgraphNode node)
{
	const CUlaunchAttribute *attrs = node->kernel.attrs;
	unsigned int i;

	for (i = 0; i < node->kernel.attr_count; i++)
		if (attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
			return attrs[i].value.cooperative != 0;
	return false;
}

/* The work of one node, resolved now: parameters are those of this launch (G-10). */
static CUresult node_work(CUgraphNode node, struct sim_work *work)
{
	size_t failed;

	*work = (struct sim_work){.kind = SIM_WORK_EMPTY};
	if (node->is_disabled)
		return CUDA_SUCCESS;
	switch ((int)node->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		work->kind = SIM_WORK_KERNEL;
		sim_tool_thread()->grid = node->grid;
		return sim_launch_work(&node->kernel.params, node->kernel.attrs,
				       node->kernel.attr_count, node->context, is_cooperative(node),
				       &work->kernel);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		work->kind = SIM_WORK_COPY;
		return sim_copy_resolve(&node->copy, &work->copy);
	case CU_GRAPH_NODE_TYPE_MEMCPY_BATCH:
	case CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH:
		return sim_copy_gather(node->batch.specs, NULL, node->batch.count, work, &failed);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		work->kind = SIM_WORK_FILL;
		return sim_fill_resolve(&node->fill, &work->fill);
	case CU_GRAPH_NODE_TYPE_HOST:
		work->kind = SIM_WORK_HOST;
		work->host = (struct sim_host){.fn = node->host.fn, .data = node->host.userData};
		break;
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		if (!sim_handle_is(node->event, SIM_KIND_EVENT))
			return CUDA_ERROR_INVALID_HANDLE;
		if (node->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
			*work = sim_event_record_work(node->event);
		break;
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: /* the ops come one by one, when it is enqueued */
		return sim_memop_check(node->memops.params, node->memops.count, false);
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT: return sim_semaphores_check(&node->semaphores);
	}
	return CUDA_SUCCESS;
}

static CUresult copy_edges(struct sim_plan_node *to, const struct sim_edges *before)
{
	size_t i;

	if (!before->count)
		return CUDA_SUCCESS;
	to->before = calloc(before->count, sizeof(*to->before));
	if (!to->before)
		return CUDA_ERROR_OUT_OF_MEMORY;
	to->before_count = before->count;
	for (i = 0; i < before->count; i++)
		to->before[i] = (struct sim_plan_edge){before->nodes[i]->index, before->data[i]};
	return CUDA_SUCCESS;
}

static CUresult add_inner(struct sim_plan *plan, struct sim_plan_node *to, CUgraph inner)
{
	bool is_body = plan->is_body || to->handle;
	struct sim_plan *made;
	CUresult result = sim_plan_new(inner, is_body, &made);

	if (result != CUDA_SUCCESS)
		return result;
	to->inner[to->inner_count++] = made;
	plan->is_in_part |= made->is_in_part;
	plan->has_conditions |= made->has_conditions;
	return CUDA_SUCCESS;
}

static CUresult add_all_inner(struct sim_plan *plan, struct sim_plan_node *to, CUgraphNode node)
{
	CUresult result = CUDA_SUCCESS;
	size_t i, count = 0;

	if (node->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
		to->choice = node->condition.params.type;
		to->handle = node->condition.handle;
		sim_condition_get(to->handle);
		plan->has_conditions = true;
	}
	while (sim_node_inner(node, count))
		count++;
	if (!count)
		return CUDA_SUCCESS;
	to->inner = calloc(count, sizeof(struct sim_plan *));
	if (!to->inner)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (i = 0; i < count && result == CUDA_SUCCESS; i++)
		result = add_inner(plan, to, sim_node_inner(node, i));
	return result;
}

static CUresult add(struct sim_plan *plan, CUgraphNode node)
{
	struct sim_plan_node *to = &plan->nodes[plan->count];
	CUresult result;

	to->node = plan->is_body ? NULL : node;
	to->type = node->type;
	to->number = node->number;
	result = node_work(node, &to->work);
	if (result != CUDA_SUCCESS) {
		to->work.kind = SIM_WORK_EMPTY;
		return result;
	}
	plan->count++;
	if (to->work.kind == SIM_WORK_KERNEL && !to->work.kernel.run)
		plan->is_in_part = true;
	result = copy_edges(to, &node->before);
	return result == CUDA_SUCCESS ? add_all_inner(plan, to, node) : result;
}

CUresult sim_plan_new(CUgraph graph, bool is_body, struct sim_plan **plan)
{
	struct sim_plan *made =
		calloc(1, sizeof(*made) + graph->count * sizeof(struct sim_plan_node));
	CUresult result = CUDA_SUCCESS;
	size_t i;

	if (!made)
		return CUDA_ERROR_OUT_OF_MEMORY;
	made->refs = 1;
	made->is_body = is_body;
	for (i = 0; i < graph->count; i++)
		graph->nodes[i]->index = i;
	for (i = 0; i < graph->count && result == CUDA_SUCCESS; i++)
		result = add(made, graph->nodes[i]);
	if (result != CUDA_SUCCESS) {
		sim_plan_put(made);
		return result;
	}
	*plan = made;
	return CUDA_SUCCESS;
}

void sim_plan_get(struct sim_plan *plan)
{
	plan->refs++;
}

static void fini_node(struct sim_plan_node *node)
{
	size_t i;

	sim_work_release(&node->work);
	for (i = 0; i < node->inner_count; i++)
		sim_plan_put(node->inner[i]);
	sim_condition_put(node->handle);
	free(node->inner);
	free(node->before);
}

void sim_plan_put(struct sim_plan *plan)
{
	size_t i;

	if (--plan->refs)
		return;
	for (i = 0; i < plan->count; i++)
		fini_node(&plan->nodes[i]);
	free(plan);
}
