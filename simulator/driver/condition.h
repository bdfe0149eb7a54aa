/* Conditions of graphs: the handles, and the nodes that run a body or not (rule G-9).
 *
 * Only kernels can set a condition, and kernels are not executed here: a condition keeps the
 * default value that its handle was created with, or 0 without one. IF and SWITCH decide by it; a
 * WHILE whose default is true runs its body once, since nothing would ever end it.
 */
#ifndef SIM_CONDITION_H
#define SIM_CONDITION_H

#include <cuda.h>

#include "simulator/driver/graph.h"

/* A handle belongs to a graph and lives as long. */
struct sim_condition_handle {
	CUgraph graph; /* borrowed */
	CUcontext context;
	unsigned int value;
	struct sim_condition_handle *next;
};

/* Checks the parameters and gives the condition its empty bodies. */
CUresult sim_condition_init(struct sim_condition *condition, CUgraph graph,
			    CUDA_CONDITIONAL_NODE_PARAMS *params);

/* The node of a condition; params->phGraph_out is its answer. */
CUresult sim_condition_add_node(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
				size_t count, CUDA_CONDITIONAL_NODE_PARAMS *params);

/* Replaces the bodies by copies of the other condition's. */
CUresult sim_condition_copy(struct sim_condition *to, const struct sim_condition *from);

/* Frees what a condition holds. */
void sim_condition_free(struct sim_condition *condition);

/* The body that a launch runs, or NULL. */
CUgraph sim_condition_choose(const struct sim_condition *condition);

void sim_condition_free_handles(CUgraph graph);

#endif
