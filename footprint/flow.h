/* Control flow of a flat kernel: blocks, edges, dominators, natural loops.
 *
 * Only blocks that the entry reaches are there, numbered in reverse postorder: block 0 is the
 * entry and every edge to a smaller number is a back edge. A flow with a back edge whose target
 * does not dominate its source (irreducible), or beyond the limits, is refused.
 */
#pragma once

#include <stdbool.h>
#include "footprint/flat.h"

#define SC_FLOW_NONE   UINT32_MAX
#define SC_FLOW_BLOCKS 40000
#define SC_FLOW_EDGES  200000
#define SC_FLOW_LOOPS  2000
#define SC_FLOW_DEPTH  12      /* of nested loops */
#define SC_FLOW_SPAN   2000000 /* blocks between heads and ends of loops, all loops together */

enum sc_edge_kind {
	SC_EDGE_ALWAYS,
	SC_EDGE_TAKEN,	   /* the guard of the block's last instruction holds */
	SC_EDGE_NOT_TAKEN, /* it does not hold */
	SC_EDGE_MANY	   /* brx: unknown which */
};

struct sc_flow_edge {
	uint32_t from;
	uint32_t to;
	uint8_t kind;
	bool is_back;
};

struct sc_block {
	uint32_t first; /* instructions */
	uint32_t end;
	uint32_t dominator;  /* of itself for the entry */
	uint32_t rank;	     /* in the tree of dominators, parents first */
	uint32_t below;	     /* blocks that it dominates, itself too: ranks from `rank` on */
	uint32_t loop;	     /* innermost, or SC_FLOW_NONE */
	uint32_t succ_first; /* edges leaving: indices into `edges` */
	uint32_t succ_count;
	uint32_t pred_first; /* edges entering: indices into `pred_edges` */
	uint32_t pred_count;
	bool leaves; /* may end the thread in an orderly way: exit or ret */
};

struct sc_loop {
	uint32_t header; /* its first block */
	uint32_t end;	 /* after its last block */
	uint32_t parent; /* or SC_FLOW_NONE */
	uint32_t depth;	 /* 0: outermost */
};

struct sc_flow {
	SC_VECTOR(struct sc_block) blocks;
	SC_VECTOR(struct sc_flow_edge) edges;
	SC_VECTOR(uint32_t) pred_edges;
	SC_VECTOR(struct sc_loop) loops; /* outer before inner */
};

/* Returns 0, or -E2BIG or -ELOOP if the flow is refused (then it is empty). */
int sc_flow_make(struct sc_flow *flow, const struct sc_flat *flat);
void sc_flow_fini(struct sc_flow *flow);
bool sc_flow_dominates(const struct sc_flow *flow, uint32_t a, uint32_t b);
/* True if block `b` is in `loop` (SC_FLOW_NONE: always), at whatever depth. */
bool sc_flow_in_loop(const struct sc_flow *flow, uint32_t b, uint32_t loop);
