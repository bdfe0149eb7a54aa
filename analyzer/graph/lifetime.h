/* Lifetimes: the memory that nodes of a graph begin and end (G-13).
 *
 * An address comes back inside of a graph: what a node frees, a later one may allocate. Which
 * memory a node uses therefore follows from its place in the order, never from the address alone.
 * Lives that share bytes are one arena, which is what an allocation of a launch stands for; the
 * beginnings and ends in it are uses of it as others, each of the bytes of its own life.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "analyzer/graph/reachability.h"

#define SC_NO_NODE UINT32_MAX

struct sc_graph_lifetime {
	uint64_t start, stop;
	uint32_t begin, end; /* places; end SC_NO_NODE: it outlives the launch */
	uint32_t rank;	     /* of the beginning in the topological order */
};

#define SC_ARENA_STARTS 64

struct sc_graph_arena {
	uint64_t start, stop;
	uint32_t first, count; /* its lives, ordered by start and rank */
	uint32_t starts;       /* addresses at which lives begin */
	bool stays;	       /* one of them outlives the launch */
};

struct sc_graph_lifetimes {
	uint32_t places; /* nodes of the graph */
	SC_VECTOR(struct sc_graph_lifetime) all;
	SC_VECTOR(struct sc_graph_arena) arenas;
	bool is_tangled; /* an arena has more than SC_ARENA_STARTS: its lives are not checked */
	uint32_t *of;	/* owned: the life that a place begins or ends, + 1; NULL: there are none */
	uint32_t *rank; /* owned, likewise: of places in the topological order */
};

/* Finds the lives of nodes whose order is known. */
void sc_graph_lifetimes_find(struct sc_graph_lifetimes *lives, const struct sc_graph_rows *rows,
			     const struct sc_graph_node *nodes, uint32_t count);
void sc_graph_lifetimes_fini(struct sc_graph_lifetimes *lives);
/* The life that a place begins or ends, or NULL. */
const struct sc_graph_lifetime *sc_graph_lifetimes_of(const struct sc_graph_lifetimes *lives,
						      uint32_t place);
/* The life of an arena that these bytes belong to when the node of a row uses them: the last that
 * began before, else the first after. NULL: the arena has none there. */
const struct sc_graph_lifetime *sc_graph_lifetimes_at(const struct sc_graph_lifetimes *lives,
						      const struct sc_graph_rows *rows,
						      uint32_t arena, uint32_t row, uint64_t first,
						      uint64_t end);
/* The row by which the life is over, or not there yet, when another one uses it; SC_NO_NODE: it is
 * there, or that is a race of the two. */
uint32_t sc_graph_lifetimes_miss(const struct sc_graph_rows *rows,
				 const struct sc_graph_lifetime *life, uint32_t row);
