/* Edges: dependencies between nodes of graphs, added while the nodes are read. */
#pragma once

#include <stdbool.h>
#include "base/map.h"
#include "base/vector.h"
#include "trace/splice.h"

struct sc_edge_node {
	uint32_t exec, index;
	uint32_t parent; /* + 1 */
	uint32_t body;
	uint32_t stack;
	uint64_t place;
};

/* The nodes of all executable graphs. */
struct sc_added_edges {
	SC_VECTOR(struct sc_edge_node) nodes;
	struct sc_u64_map by_number; /* + 1, by graph and index */
	struct sc_u64_map contents;  /* of each graph: place of its last instantiation, or update */
};

/* A graph gets new content: its nodes so far are gone. */
void sc_edges_renew(struct sc_added_edges *e, uint32_t exec, uint64_t place);

/* Takes a record of a node; false if it is no new one. */
bool sc_edges_note(struct sc_added_edges *e, const struct sc_record *r, uint32_t *index);
/* Lets node `second` of a graph depend on node `first`, or those of their parents that are in one
 * graph or body; after the record at hand, which is one of that graph's nodes. `used` gets
 * them. False if both are in the same. */
bool sc_edges_add(struct sc_added_edges *e, struct sc_splice *s, const struct sc_op *op,
		  uint32_t first, uint32_t second, const struct sc_edge_node *used[2]);
void sc_edges_fini(struct sc_added_edges *e);
