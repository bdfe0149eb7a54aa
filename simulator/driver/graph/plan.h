/* Plans: the nodes of a graph as one launch has them, in an order that respects all dependencies.
 *
 * A launch resolves the work of all its nodes before it enqueues the first one, so that it fails as
 * a whole, with the parameters of this moment (G-10). The bodies of conditional nodes are plans of
 * their own, which the device may enqueue any number of times long after the call, when the exec
 * may be updated or gone; so a plan refers to the graph's nodes only during the call. Counted.
 */
#pragma once

#include "simulator/driver/graph/graph.h"

struct sim_plan;

struct sim_plan_edge {
	size_t from; /* a node of the same plan, before this one */
	CUgraphEdgeData data;
};

struct sim_plan_node {
	CUgraphNode node; /* borrowed, valid during the call; NULL in bodies */
	CUgraphNodeType type;
	uint32_t number;	      /* node_bytes.h */
	struct sim_work work;	      /* of bodies: what is repeated; of others: until enqueued */
	struct sim_plan_edge *before; /* owned */
	size_t before_count;
	struct sim_plan **inner; /* counted: a child graph, or the bodies of a condition */
	size_t inner_count;
	CUgraphConditionalNodeType choice;   /* of a condition */
	struct sim_condition_handle *handle; /* counted; of a condition */
};

struct sim_plan {
	unsigned int refs;
	size_t count;
	bool is_body;	     /* in the body of a condition: may run any number of times */
	bool is_in_part;     /* it has kernels that are not executed, or its inner plans have */
	bool has_conditions; /* the same of conditions */
	struct sim_plan_node nodes[];
};

/* The plan of a sorted graph; `is_body` of one inside a condition. */
CUresult sim_plan_new(CUgraph graph, bool is_body, struct sim_plan **plan);

void sim_plan_get(struct sim_plan *plan);
void sim_plan_put(struct sim_plan *plan);
