/* What the page guard knows of an executable graph: what it touches of the host's memory, and which
 * events it records.
 *
 * Operands are kept by node, sorted by address, because updates and switches come by the node. What
 * a launch watches is made of them when they have changed: each operand once; if these are more
 * than SC_GRAPH_OPERANDS, those that touch as one; if still, all that is done alike to an
 * allocation as one. So a launch watches SC_GRAPH_OPERANDS operands at most, however many nodes
 * there are; the rest is counted. The application has serialized its calls on a graph (G-12): no
 * lock.
 */
#pragma once

#include <stdbool.h>
#include "interposer/core/mapped_list.h"
#include "trace/op.h"

#define SC_GRAPH_OPERANDS      64
#define SC_GRAPH_OPERANDS_KEPT 4096 /* operands of all nodes */

struct sc_enqueued;

struct sc_graph_operands {
	struct sc_mapped_list operands; /* struct sc_node_operand, internal */
	struct sc_mapped_list records;	/* struct sc_node_record, internal */
	struct sc_mapped_list merged;	/* struct sc_access */
	uint32_t next;			/* after the highest node that has any */
	uint32_t lost;			/* operands above SC_GRAPH_OPERANDS_KEPT */
	uint32_t left;			/* operands that no launch watches */
	bool is_merged;
	bool loads; /* a kernel of it may use memory by an address that it loads */
};

/* The operands of node `index`, or the event that it records, are those of the op that stands for
 * the node. */
void sc_graph_operands_set_node(struct sc_graph_operands *operands, uint32_t index,
				const struct sc_enqueued *node);
/* A node is switched on or off. */
void sc_graph_operands_switch(struct sc_graph_operands *operands, uint32_t index, bool is_on);
/* All nodes are recorded anew. */
void sc_graph_operands_clear(struct sc_graph_operands *operands);
/* The graph was instantiated, and may stay for long. */
void sc_graph_operands_pack(struct sc_graph_operands *operands);
void sc_graph_operands_fini(struct sc_graph_operands *operands);
static inline bool sc_graph_operands_is_empty(const struct sc_graph_operands *operands)
{
	return !operands->operands.used && !operands->lost && !operands->loads;
}

/* A launch was enqueued: of what its events will stand for, all that the stream waited for before
 * the launch is known (G-9). The events no longer stand for what they stood for before (E-1). */
void sc_graph_operands_record(const struct sc_graph_operands *operands,
			      const struct sc_enqueued *launch);

/* Brings the list of what a launch watches up to date; returns its length. */
unsigned sc_graph_operands_merge(struct sc_graph_operands *operands);
static inline const struct sc_access *
sc_graph_operands_merged(const struct sc_graph_operands *operands)
{
	return operands->merged.start;
}
