/* Graph page: nodes and edges of a graph, drawn for browsers, below each other in the order of
 * their dependencies. The page loads nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/vector.h"

#define SC_GRAPH_PAGE_NODES 400 /* of a larger graph there is no drawing */

enum sc_graph_line {
	SC_GRAPH_EDGE,
	SC_GRAPH_EARLY,	    /* an edge from a kernel's trigger or start */
	SC_GRAPH_INSIDE,    /* the second node is inside of the first */
	SC_GRAPH_UNORDERED, /* the two share memory, and nothing orders them */
};

struct sc_graph_drawn {
	uint32_t from, to;
	enum sc_graph_line line;
	struct sc_buf title; /* owned, or empty */
};

struct sc_graph_drawing {
	SC_VECTOR(struct sc_buf) nodes; /* owned: what each does */
	SC_VECTOR(struct sc_graph_drawn) lines;
};

/* Adds a line; returns where its title goes. */
struct sc_buf *sc_graph_drawing_add(struct sc_graph_drawing *g, uint32_t from, uint32_t to,
				    enum sc_graph_line line);
/* Appends the drawing as a figure, or a sentence if it is too large. Lines to nodes that are not
 * there are left out. */
void sc_graph_drawing_print(struct sc_buf *out, const struct sc_graph_drawing *g,
			    const char *caption);
void sc_graph_drawing_fini(struct sc_graph_drawing *g);
