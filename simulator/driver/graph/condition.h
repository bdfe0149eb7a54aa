/* Conditions of graphs: the handles, and the nodes that run a body or not (rule G-9).
 *
 * A handle has one value, which kernels set and nodes read at their turn (decision.h). It belongs
 * to a graph; execs of the graph may outlive that, so the nodes and their copies count it. A handle
 * that was created with a default value gets it again in each launch; without one the value is what
 * it was, 0 at first.
 */
#pragma once

#include <cuda.h>

#include "simulator/driver/graph/graph.h"

struct sim_condition_handle {
	unsigned int refs;
	CUgraph graph; /* borrowed; NULL: it is gone */
	CUcontext context;
	unsigned int value;
	unsigned int initial;
	bool has_initial; /* launches begin with it */
	struct sim_condition_handle *next;
};

void sim_condition_get(struct sim_condition_handle *handle);
void sim_condition_put(struct sim_condition_handle *handle);

/* What a kernel does; a handle that is none is let pass. */
void sim_condition_set(uint64_t handle, unsigned int value);

/* Checks the parameters and gives the condition its empty bodies. */
CUresult sim_condition_init(struct sim_condition *condition, CUgraph graph,
			    CUDA_CONDITIONAL_NODE_PARAMS *params);

/* The node of a condition; params->phGraph_out is its answer. */
CUresult sim_condition_add_node(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
				size_t count, CUDA_CONDITIONAL_NODE_PARAMS *params);

/* Replaces the bodies by copies of the other condition's. */
CUresult sim_condition_copy(struct sim_condition *to, const struct sim_condition *from);

/* Replaces the handle by the other condition's. */
void sim_condition_take_handle(struct sim_condition *to, const struct sim_condition *from);

/* Frees what a condition holds. */
void sim_condition_free(struct sim_condition *condition);

/* Which body runs with that value; `size`: none. */
unsigned int sim_condition_choose(CUgraphConditionalNodeType type, unsigned int size,
				  unsigned int value);

/* The graph is gone. */
void sim_condition_drop_handles(CUgraph graph);
