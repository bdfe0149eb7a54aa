/* Reading conditions, and enqueuing bodies. */
#include "simulator/driver/graph/decision.h"

#include <stdlib.h>

#include "simulator/driver/graph/condition.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/graph/graph_launch.h"
#include "simulator/driver/graph/node_bytes.h"
#include "simulator/driver/graph/plan.h"
#include "simulator/driver/schedule/schedule.h"

#define ENDLESS_ROUNDS 1024

struct sim_decision {
	struct sim_graph_launch *launch;  /* counted */
	struct sim_plan *plan;		  /* counted; has the node */
	const struct sim_plan_node *node; /* or NULL */
	uint64_t rounds;
};

struct sim_decision *sim_decision_new(struct sim_graph_launch *launch, struct sim_plan *plan,
				      const struct sim_plan_node *node)
{
	struct sim_decision *decision = calloc(1, sizeof(*decision));

	if (!decision)
		return NULL;
	*decision = (struct sim_decision){.launch = launch, .plan = plan, .node = node};
	sim_graph_launch_get(launch);
	sim_plan_get(plan);
	return decision;
}

void sim_decision_end(struct sim_decision *decision)
{
	if (!decision->node || !decision->launch->bytes)
		return;
	sim_unlock();
	sim_launch_bytes_end(decision->launch->bytes);
	sim_lock();
}

void sim_decision_free(struct sim_decision *decision)
{
	if (!decision)
		return;
	sim_graph_launch_put(decision->launch);
	sim_plan_put(decision->plan);
	free(decision);
}

static void assign_defaults(const struct sim_plan *plan)
{
	const struct sim_plan_node *node;
	size_t i, j;

	for (i = 0; plan->has_conditions && i < plan->count; i++) {
		node = &plan->nodes[i];
		if (node->handle && node->handle->has_initial)
			node->handle->value = node->handle->initial;
		for (j = 0; j < node->inner_count; j++)
			assign_defaults(node->inner[j]);
	}
}

static bool is_loop(const struct sim_decision *decision)
{
	return decision->node->choice == CU_GRAPH_COND_TYPE_WHILE;
}

/* The body to run now, or NULL. */
static struct sim_plan *choose(const struct sim_decision *decision)
{
	const struct sim_plan_node *node = decision->node;
	unsigned int size = (unsigned int)node->inner_count;
	unsigned int index = sim_condition_choose(node->choice, size, node->handle->value);

	if (index >= size || (decision->rounds && !is_loop(decision)) ||
	    (decision->rounds && node->inner[index]->is_in_part))
		return NULL;
	return node->inner[index];
}

/* The op follows the body; whoever waits for the op waits for the body. */
static bool wait_for(struct sim_op *op, struct sim_op *end)
{
	if (!sim_op_after(op, end))
		return false;
	if (op->is_demanded)
		sim_schedule_demand(end);
	return true;
}

static void count_round(struct sim_op *op, struct sim_decision *decision)
{
	decision->rounds++;
	decision->launch->since_ns = op->since_ns;
	decision->launch->since_processor_ns = op->since_processor_ns;
	if (decision->rounds >= ENDLESS_ROUNDS)
		decision->launch->is_endless = op->is_endless = true;
}

enum exec_progress sim_decision_take(struct sim_op *op, CUresult *result)
{
	struct sim_decision *decision = op->work.decision;
	struct sim_plan *body = NULL;
	struct sim_op *end;

	*result = CUDA_SUCCESS;
	sim_op_forget(op);
	if (decision->node)
		body = choose(decision);
	else
		assign_defaults(decision->plan);
	if (!body)
		return EXEC_ENDED;
	count_round(op, decision);
	*result = sim_graph_launch_enqueue(decision->launch, body, NULL, &end);
	if (*result != CUDA_SUCCESS)
		return EXEC_ENDED;
	if (!wait_for(op, end))
		*result = CUDA_ERROR_OUT_OF_MEMORY;
	sim_op_put(end);
	if (op->blockers || *result != CUDA_SUCCESS)
		return EXEC_ENDED;
	return is_loop(decision) ? EXEC_POLLS : EXEC_ENDED;
}
