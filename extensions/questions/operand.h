/* Operands: which ops of a trace a word of the command line means.
 *
 *	40		the op with that sequence number, as `dump` and reports call it
 *	main.cu:40	all ops that were called from that line, or from a function called there
 *	g3.2		node 2 of executable graph 3
 *	scale		all launches of the kernels of that name
 *
 * A node is meant in each launch of its graph.
 */
#pragma once

#include <stdbool.h>
#include "base/vector.h"
#include "reports/report.h"

#define SC_OPERAND_MAX 128 /* ops that are taken; more are counted */
#define SC_NO_PLACE    UINT32_MAX

struct sc_operand_op {
	uint64_t sequence; /* of the op; of a node, that of its launch */
	uint64_t shown;	   /* the same; of a node, that of the op which made it */
	uint64_t start;	   /* the same as `sequence`; inside a host function, that of its enqueue */
	uint32_t node;	   /* its place in the graph, or SC_NO_PLACE */
};

struct sc_operand {
	const char *word; /* borrowed */
	SC_VECTOR(struct sc_operand_op) ops;
	uint64_t more; /* that were not taken */
};

/* Finds the ops of two words at once, in one walk. */
void sc_operands_find(struct sc_operand operands[2], const struct sc_report *r);
void sc_operand_fini(struct sc_operand *o);
