/* What a node depends on, or what a stream's next captured node will: nodes, and what of them
 * (G-8). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

struct sim_edges {
	CUgraphNode *nodes;    /* owned; each once */
	CUgraphEdgeData *data; /* owned; one for each */
	size_t count;
};

/* Adds a node that is not in the list; without data, its end is meant. False: no memory. */
bool sim_edges_add(struct sim_edges *edges, CUgraphNode node, const CUgraphEdgeData *data);

/* The list becomes these; nothing changes when that fails. */
bool sim_edges_set(struct sim_edges *edges, const CUgraphNode *nodes, const CUgraphEdgeData *data,
		   size_t count);

/* Where the node stands in the list; its length for one that is not there. */
size_t sim_edges_find(const struct sim_edges *edges, CUgraphNode node);

void sim_edges_remove(struct sim_edges *edges, size_t index);
void sim_edges_fini(struct sim_edges *edges);

/* True if all edges are full dependencies; no data is plain. */
bool sim_edges_are_plain(const CUgraphEdgeData *data, size_t count);

/* The same of one edge, and of two that mean the same. */
bool sim_edge_is_plain(const CUgraphEdgeData *data);
bool sim_edge_is_equal(const CUgraphEdgeData *a, const CUgraphEdgeData *b);

/* May an edge with this data lead from a node at all, and to that other? */
bool sim_edge_is_possible_from(CUgraphNode from, const CUgraphEdgeData *data);
bool sim_edge_is_possible(CUgraphNode from, CUgraphNode to, const CUgraphEdgeData *data);
