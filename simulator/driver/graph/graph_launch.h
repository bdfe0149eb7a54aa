/* Launches of graphs: an op for each node, in the order of the edges (rules G-6, G-8, G-9). */
#pragma once

#include "simulator/driver/schedule/op.h"

struct sim_plan;

/* One launch, as long as ops of it may be made; counted. */
struct sim_graph_launch {
	unsigned int refs;
	CUcontext context; /* borrowed */
	int priority;
	CUgraphExec exec; /* borrowed, during the call; NULL: ops that the device makes */
	uint64_t exec_id;
	uint64_t index;	   /* of the next op */
	uint64_t since_ns; /* of ops that the device makes: as of the op that made them */
	uint64_t since_processor_ns;
	unsigned int correlation;	/* of the call */
	bool is_endless;		/* it has a loop that does not seem to end */
	struct sim_launch_bytes *bytes; /* counted, or NULL */
};

void sim_graph_launch_get(struct sim_graph_launch *launch);
void sim_graph_launch_put(struct sim_graph_launch *launch);

/* Enqueues the nodes of a plan between `start`, which may be NULL, and a new *end that the caller
 * puts. */
CUresult sim_graph_launch_enqueue(struct sim_graph_launch *launch, struct sim_plan *plan,
				  struct sim_op *start, struct sim_op **end);
