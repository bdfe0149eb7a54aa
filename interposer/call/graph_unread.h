/* What of graphs could not be read, counted by its kind. */
#pragma once

#include <stdint.h>

struct sc_reading;

/* What of a graph the analysis lacks. */
enum sc_unread {
	SC_UNREAD_GRAPH,  /* the driver refuses, or there is no memory */
	SC_UNREAD_CHILD,  /* the graph of a child node */
	SC_UNREAD_BODY,	  /* the bodies of a conditional node: only the call that adds it names them
			   */
	SC_UNREAD_PARAMS, /* what a node does */
	SC_UNREAD_NODE,	  /* which node an update is about */
	SC_UNREAD_KINDS
};

/* Says in the trace that something of a graph was not read. */
void sc_graph_count_unread(enum sc_unread what, uint32_t count);
/* The same for all that was missing when a graph was read. */
void sc_graph_count_all_unread(const struct sc_reading *r);
