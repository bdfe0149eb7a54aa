/* Graph: the part of the order between the two sides of a finding, for its drawing.
 *
 * Nodes are ops in trace order: the two sides, what carries the first one's completion onwards,
 * what the second one comes after, and the calls that the finding names. Edges are those of the
 * specification that can be shown with these nodes: order within a stream (S-1), record to wait
 * (E-4), work to the host's wait (H-1). They are a subset of what the analyzer knows, so a drawing
 * never shows a way from the first to the second that the analyzer did not find.
 */
#pragma once

#include <stdbool.h>
#include "reports/html/html_walk.h"

#define SC_HTML_NODES 16

enum sc_html_mark {
	SC_HTML_FIRST = 1,   /* the first side */
	SC_HTML_SECOND = 2,  /* the second side */
	SC_HTML_AFTER = 4,   /* comes after the first side */
	SC_HTML_BEFORE = 8,  /* comes before the second side */
	SC_HTML_NEAREST = 16 /* the wait that came nearest to ordering the two */
};

enum sc_html_edge_kind { SC_HTML_STREAM, SC_HTML_EVENT, SC_HTML_WAIT };

struct sc_html_node {
	const struct sc_html_op *op; /* borrowed from the walk */
	unsigned marks;
};

struct sc_html_edge {
	unsigned from, to; /* indices of nodes */
	enum sc_html_edge_kind kind;
};

struct sc_html_graph {
	struct sc_html_node nodes[SC_HTML_NODES];
	struct sc_html_edge edges[2 * SC_HTML_NODES];
	unsigned node_count, edge_count;
	uint64_t left_out; /* ops of the chains for which there is no room */
	bool is_cut;	   /* not everything between the two was looked at */
};

void sc_html_graph_init(struct sc_html_graph *g, const struct sc_html_walk *w,
			const struct sc_finding *f);
