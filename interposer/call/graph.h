/* Graphs: who made which node, and the content of executable graphs.
 *
 * However a graph was built (captured, by hand, by a library, cloned), its instantiation is where
 * it is read back, with the driver's documented questions: all nodes, all edges, all parameters,
 * child graphs and bodies along. The application has serialized its calls on a graph (G-12), so
 * nothing changes meanwhile. Updates of an executable graph are recorded as new parameters of known
 * nodes. A launch costs one op. What cannot be read is counted.
 *
 *	graph.c		calls that make nodes, and what becomes of executable graphs
 *	graph_update.c	new parameters of their nodes
 *	graph_read.c	a graph as a flat list of nodes and edges
 *	graph_node.c	one node as an op
 */
#pragma once

#include "interposer/call/call.h"
#include "interposer/call/graph_unread.h"
#include "interposer/core/mapped_list.h"
#include "interposer/guard/graph_operands.h"

/* The call that made a node. */
struct sc_made {
	uint64_t sequence;
	uint32_t stack, call, flags;
	uint32_t context; /* that was current, or the capturing stream's */
	uint8_t device;
	struct sc_handle_ref function; /* of a captured launch */
	const void *function_raw;      /* its handle */
	const void **bodies;	       /* of a conditional node: handles of graphs; in the arena */
	struct sc_handle_ref around;   /* the graph that the node and these are in */
	struct sc_handle_ref graph;    /* the same of any node */
	struct sc_handle_ref event;    /* that it records or waits for */
	uint32_t body_count;
};

/* One node of a flat list. */
struct sc_entry {
	CUgraphNode node;
	CUgraph graph; /* that it is in, the child graph or body */
	CUgraphNodeType type;
	uint32_t parent; /* + 1 */
	uint32_t body;
};

/* A graph that was read: entries, and for each the edges that lead to it. */
struct sc_reading {
	struct sc_mapped_list entries;	    /* struct sc_entry */
	struct sc_mapped_list edges;	    /* struct sc_graph_edge, internal */
	struct sc_mapped_list dependencies; /* struct sc_dependency, ordered by target */
	struct sc_mapped_list first;	    /* uint32_t: where those of an entry begin */
	struct sc_mapped_list levels;	    /* internal */
	struct sc_mapped_list scratch;
	struct sc_mapped_list map; /* uint32_t: places of entries by handle; 0: empty */
	uint32_t count;
	uint32_t base;			  /* number of the first node */
	uint32_t unread[SC_UNREAD_KINDS]; /* how often: enum sc_unread */
	uint32_t graphs;		  /* how many were read, child graphs and bodies along */
	/* each node but the first depends on the one before it only, and none was ever switched */
	bool is_chain;
	struct sc_graph_operands operands; /* of the host's memory */
	struct sc_reading *next;	   /* in the free list */
};

struct sc_graphs {
	struct sc_table made;	 /* struct sc_made by node */
	struct sc_table objects; /* op that made a user object, by handle: uint64_t, + 1 */
	struct sc_lock lock;
	struct sc_reading *free;
	atomic_bool are_named;	  /* the program asked for the driver's names of graphs or nodes */
	atomic_bool are_launched; /* the trace says that kernels launch graphs */
};

extern struct sc_graphs sc_graphs;

/* graph_read.c. False: no memory, or the driver lacks the questions. */
bool sc_graph_read(struct sc_reading *r, CUgraph graph);
/* Its nodes are written: only what finds them later stays. */
void sc_graph_read_pack(struct sc_reading *r);
void sc_graph_read_fini(struct sc_reading *r);
/* Index of a node, or UINT32_MAX. */
uint32_t sc_graph_read_find(const struct sc_reading *r, CUgraphNode node);
static inline const struct sc_entry *sc_graph_entry(const struct sc_reading *r, uint32_t index)
{
	return (const struct sc_entry *)r->entries.start + index;
}

/* graph_node.c: writes the node of executable graph `exec` as it is in the driver's hands. */
void sc_graph_node_write(const struct sc_handle *exec, struct sc_reading *r, uint32_t index,
			 uint32_t flags);
/* A known node gets new parameters. */
void sc_graph_node_update(const struct sc_handle *exec, uint32_t index, const struct sc_made *made,
			  const CUgraphNodeParams *params);
/* A node of a graph that is not instantiated yet is to do this; a copy keeps its operands. */
void sc_graph_node_keeps(const CUgraphNodeParams *params);
/* A known node is switched on or off. */
void sc_graph_node_switch(const struct sc_handle *exec, uint32_t index, bool is_on);

/* The call that made a node of this graph, or NULL. */
const struct sc_made *sc_graph_made(CUgraphNode node, CUgraph graph);
/* What a node is by this call. */
struct sc_made sc_made_by(const struct sc_call *call);

/* A captured call returned; asks which node it made. */
void sc_graph_captured(struct sc_call *call);
/* Tracking of INSTANTIATE and GRAPH_DESTROY rows. */
void sc_graph_instantiate(struct sc_call *call);
void sc_graph_instantiated(struct sc_call *call);
/* The program dies in an instantiation, and the driver cannot be asked for the nodes any more:
 * before its op, and after it. The nodes are written with the calls that made them. */
void sc_graph_dies(struct sc_call *call);
void sc_graph_died(const struct sc_call *call);
void sc_graph_exec_destroyed(struct sc_call *call);
