/* Nodes of an executable graph. */
#pragma once

#include <stdbool.h>
#include "base/vector.h"
#include "trace/attach.h"
#include "trace/op.h"

struct sc_bygone;

/* Node types that have no stream form (CUgraphNodeType). */
enum sc_node_type {
	SC_NODE_CHILD = 4,
	SC_NODE_SIGNAL = 8,
	SC_NODE_WAIT = 9,
	SC_NODE_MEMOP = 12,
	SC_NODE_CONDITIONAL = 13
};

struct sc_graph_node {
	struct sc_op op;
	uint64_t sequence;    /* of the record that says what the node does now */
	uint8_t *attachments; /* owned */
	uint32_t attachment_bytes;
	uint32_t parent; /* + 1 */
	uint32_t body;
	uint32_t row; /* in the matrix */
	uint32_t end; /* row of its end; its own unless it holds others */
	bool is_given;
	bool is_disabled;
	bool is_maybe;		  /* in the body of a conditional: may run any number of times */
	bool has_run;		  /* then: it ran in the launch (bodies.h) */
	bool is_fresh;		  /* its parameters are newer than the last launch */
	size_t executed;	  /* what it touched in the last launch (access/executed.h), or 0 */
	struct sc_bygone *bygone; /* borrowed: the last launch of older parameters, or NULL */
	SC_VECTOR(struct sc_dependency) after;
};

/* True if the launch may have left the node out (G-9). */
static inline bool sc_graph_node_is_unsure(const struct sc_graph_node *n)
{
	return n->is_maybe && !n->has_run;
}
