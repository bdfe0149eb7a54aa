/* The value graph of a kernel: what its addresses and conditions are computed from.
 *
 * Static single assignment over a flat kernel: a node is a value, of `bits` bits (1: a predicate),
 * computed in a block. Values that no launch parameter, coordinate or constant determines are
 * OPAQUE, with the reason. Only additions, comparisons and the like are kept; floating point and
 * memory contents are opaque. Node 0 is never used.
 */
#pragma once

#include <stdbool.h>
#include "footprint/flow.h"
#include "footprint/footprint.h"

#define SC_GRAPH_NODES 1000000

enum sc_node_op {
	SC_NODE_CONST,	/* value */
	SC_NODE_PARAM,	/* a: offset in the image, b: bytes; aux: 1 if surely a pointer */
	SC_NODE_TID,	/* aux: dimension */
	SC_NODE_CTAID,	/* aux: dimension */
	SC_NODE_NTID,	/* aux: dimension */
	SC_NODE_NCTAID, /* aux: dimension */
	SC_NODE_LANE,
	SC_NODE_SHARED_BYTES,
	SC_NODE_SYMBOL, /* a: symbol, value: offset */
	SC_NODE_OPAQUE, /* aux: reason, value: greatest value if it is not negative */
	SC_NODE_ADD,
	SC_NODE_SUB,
	SC_NODE_MUL,
	SC_NODE_MULHI,
	SC_NODE_DIV,
	SC_NODE_REM,
	SC_NODE_SHL,
	SC_NODE_SHR,
	SC_NODE_AND, /* bitwise and of values or of predicates, like OR, XOR, NOT */
	SC_NODE_OR,
	SC_NODE_XOR,
	SC_NODE_NOT,
	SC_NODE_MIN,
	SC_NODE_MAX,
	SC_NODE_EXTEND,
	SC_NODE_TRUNCATE,
	SC_NODE_SELECT,	 /* a ? b : c */
	SC_NODE_COMPARE, /* aux: enum sc_compare EQ … GE */
	SC_NODE_PHI	 /* a: first of phi_args, b: their number, one per entering edge */
};

struct sc_value_node {
	uint8_t op;
	uint8_t bits;
	uint8_t aux;
	bool is_signed; /* DIV, REM, SHR, MIN, MAX, EXTEND, MULHI, COMPARE, PARAM */
	uint32_t block;
	uint32_t a;
	uint32_t b;
	uint32_t c;
	int64_t value;
};

/* One place in the code that touches memory. */
struct sc_memory_site {
	uint32_t address; /* node, or 0: unknown */
	uint32_t block;
	uint32_t guard; /* predicate node, or 0 */
	bool guard_negated;
	uint8_t mode;	      /* enum sc_footprint_mode bits */
	uint8_t space;	      /* enum sc_space */
	uint8_t reason;	      /* enum sc_footprint_reason: never exact if not 0 */
	uint8_t early;	      /* enum sc_footprint_early */
	uint32_t width;	      /* bytes, if size is 0 */
	uint32_t size;	      /* node */
	uint32_t rows;	      /* of a matrix access, else 1 */
	uint32_t pitch;	      /* node: elements from row to row */
	uint32_t pitch_bytes; /* of an element */
	uint32_t line;
};

struct sc_value_graph {
	SC_VECTOR(struct sc_value_node) nodes;
	SC_VECTOR(uint32_t) phi_args;
	SC_VECTOR(struct sc_memory_site) sites;
	SC_VECTOR(uint32_t) conditions; /* of each block: predicate node of its last guard, or 0 */
	SC_VECTOR(bool) negated;	/* of each block: that guard is negated */
	uint32_t steps;			/* of work that it took */
	bool waits;			/* for the grids that the kernel depends on, on some path */
	bool early_trigger;		/* it may let dependent kernels start before that */
	bool cut;			/* a limit was reached */
};

void sc_graph_make(struct sc_value_graph *g, const struct sc_ptx *m,
		   const struct sc_function *kernel, const struct sc_flat *flat,
		   const struct sc_flow *flow);
void sc_graph_fini(struct sc_value_graph *g);
