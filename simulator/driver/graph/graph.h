/* Graphs: nodes of work, the order between them, and instances that can be launched (section 8).
 *
 * A graph owns its nodes, a node lists what it depends on. Capture adds nodes the same way as the
 * API does. An exec is a private copy of a graph, in an order that respects all dependencies; a
 * launch makes one op of each node, so that graphs run on the same engine as everything else.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "simulator/driver/copy/copy.h"
#include "simulator/driver/graph/edges.h"
#include "simulator/driver/copy/fill.h"
#include "simulator/driver/schedule/op.h"
#include "simulator/driver/ipc/semaphore.h"

struct sim_graph_memory;

/* What a conditional node decides by, and between (G-9). */
struct sim_condition {
	CUDA_CONDITIONAL_NODE_PARAMS params;
	CUgraph *bodies;		     /* owned, as the graphs are; params.size of them */
	struct sim_condition_handle *handle; /* counted */
};

/* A batch of copies: its parameters as they were given, for those who ask for them, and each copy
 * as those of other nodes. There is no order among them (section 4.6). */
struct sim_node_batch {
	struct sim_copy_spec *specs; /* owned */
	size_t count;
	union { /* their arrays are owned */
		CUDA_MEMCPY_BATCH_NODE_PARAMS copies;
		CUDA_FABRIC_CPY_BATCH_NODE_PARAMS fabric;
	};
};

struct CUgraphNode_st {
	CUgraph graph;
	CUgraphNodeType type;
	unsigned int local_id;	 /* in its graph, by the order of creation */
	CUcontext context;	 /* that its work belongs to */
	struct sim_edges before; /* what it depends on */
	CUgraphNode origin;	 /* in a copy: the node that this one was copied from */
	bool is_disabled;	 /* in an exec: acts as an empty node */
	uint64_t grid;		 /* in an exec: the number that a tool was told (tool.h) */
	size_t place;		 /* in a copy: that of its origin in its graph, from 1 */
	size_t index;		 /* scratch: its place while a graph is sorted or copied */
	uint32_t number;	 /* in an exec: as a tool counts its nodes (tally.h) */
	union {
		struct {
			CUDA_KERNEL_NODE_PARAMS params;
			void *values;		  /* owned; what its pointers point to */
			CUlaunchAttribute *attrs; /* owned */
			unsigned int attr_count;
		} kernel;
		struct sim_copy_spec copy;
		struct sim_node_batch batch;
		struct sim_fill_spec fill;
		CUDA_HOST_NODE_PARAMS host;
		CUevent event;
		CUgraph child; /* owned */
		struct {
			CUstreamBatchMemOpParams *params; /* owned */
			unsigned int count;
		} memops;
		struct sim_semaphores semaphores;
		struct sim_graph_memory *memory; /* counted; of nodes that allocate or free */
		struct sim_condition condition;
	};
};

struct CUgraph_st {
	CUgraphNode *nodes; /* owned, in order of creation */
	size_t count;
	uint64_t id; /* of no other graph of the process */
	unsigned int next_local_id;
	bool is_child;			      /* belongs to a node */
	struct sim_user_reference *objects;   /* owned */
	CUgraph origin;			      /* in a clone: what it was cloned from */
	struct sim_condition_handle *handles; /* counted */
};

struct CUgraphExec_st {
	CUgraph graph; /* owned, a private copy; its nodes are sorted */
	unsigned long long flags;
	uint64_t id;
	uint64_t work_count;	      /* ops of all launches that do something */
	uint32_t announced_launches;  /* to a tool (tool.h) */
	struct sim_op *last;	      /* counted; the end of the last launch (G-6) */
	struct sim_exec_bytes *bytes; /* counted, or NULL; what its nodes touched last */
};

CUgraph sim_graph_new(void);
void sim_graph_free(CUgraph graph);

/* A deep copy, or NULL when out of memory; its nodes remember their origins. */
CUgraph sim_graph_copy(CUgraph graph);

/* Gives numbers to all nodes, those inside of others along; before they are sorted. Returns how
 * many, 0 also when out of memory. */
size_t sim_graph_number(CUgraph graph);

/* Puts every node after its dependencies; false if they form a cycle. */
bool sim_graph_sort(CUgraph graph);

/* The same for its child graphs as well. */
bool sim_graph_sort_all(CUgraph graph);

/* Checks the dependencies and adds a node of that type without a payload. */
CUresult sim_node_new(CUgraph graph, CUgraphNodeType type, const CUgraphNode *before, size_t count,
		      CUgraphNode *node);

/* The same with dependencies as a list. */
CUresult sim_node_new_behind(CUgraph graph, CUgraphNodeType type, const struct sim_edges *before,
			     CUgraphNode *node);
void sim_node_free(CUgraphNode node);

/*
 * Adds one dependency, a full one if there is no data; INVALID_VALUE if it is there already, would
 * be the node itself, or cannot have such data.
 */
CUresult sim_node_depend(CUgraphNode node, CUgraphNode before, const CUgraphEdgeData *data);

/* Stores a kernel's parameters by value, as the API promises. */
CUresult sim_node_set_kernel(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params);

/* The graphs inside a node, one after the other: a child, or the bodies of a condition. */
CUgraph sim_node_inner(const struct CUgraphNode_st *node, size_t index);

/* Does the graph have nodes that allocate or free, or conditions: may it be copied freely? */
bool sim_graph_is_fixed(CUgraph graph);
bool sim_graph_has_memory(CUgraph graph);

/* Copies the payload of a node of the same type. */
CUresult sim_node_copy_payload(CUgraphNode to, CUgraphNode from);
