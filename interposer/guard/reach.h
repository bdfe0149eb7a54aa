/* What the page guard knows of an executable graph: what it touches of the host's memory, and which
 * events it records.
 *
 * Operands are kept by node, sorted by address, because updates and switches come by the node. What
 * a launch arms is made of them when they have changed: each operand once; if these are more than
 * SC_REACHES, those that touch as one; if still, all that is done alike to an allocation as one. So
 * a launch arms SC_REACHES operands at most, however many nodes there are; the rest is counted. The
 * application has serialized its calls on a graph (G-12): no lock.
 */
#ifndef SC_INTERPOSER_GUARD_REACH_H
#define SC_INTERPOSER_GUARD_REACH_H

#include <stdbool.h>
#include "interposer/core/pages.h"
#include "trace/op.h"

#define SC_REACHES	64
#define SC_REACHES_KEPT 4096 /* operands of all nodes */

struct sc_enqueued;

struct sc_graph_reach {
	struct sc_pages operands; /* struct sc_reached, internal */
	struct sc_pages records;  /* struct sc_recorded, internal */
	struct sc_pages merged;	  /* struct sc_access */
	uint32_t next;		  /* after the highest node that has any */
	uint32_t lost;		  /* operands above SC_REACHES_KEPT */
	uint32_t left;		  /* operands that no launch arms */
	bool is_merged;
};

/* The operands of node `index`, or the event that it records, are those of the op that stands for
 * the node. */
void sc_reach_node(struct sc_graph_reach *reach, uint32_t index, const struct sc_enqueued *node);
/* A node is switched on or off. */
void sc_reach_switch(struct sc_graph_reach *reach, uint32_t index, bool is_on);
/* All nodes are recorded anew. */
void sc_reach_clear(struct sc_graph_reach *reach);
void sc_reach_fini(struct sc_graph_reach *reach);
static inline bool sc_reach_is_empty(const struct sc_graph_reach *reach)
{
	return !reach->operands.used && !reach->lost;
}

/* A launch was enqueued: of what its events will cover, all that the stream waited for before the
 * launch is known (G-9). The events no longer cover what they covered before (E-1). */
void sc_reach_record(const struct sc_graph_reach *reach, const struct sc_enqueued *launch);

/* Brings the list of what a launch arms up to date; returns its length. */
unsigned sc_reach_merge(struct sc_graph_reach *reach);
static inline const struct sc_access *sc_reach_merged(const struct sc_graph_reach *reach)
{
	return reach->merged.start;
}

#endif
