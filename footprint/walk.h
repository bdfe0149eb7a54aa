/* Walks: threads of a launch taken one by one, where the symbolic form of an address says too
 * little.
 *
 * A walk follows one thread from block to block with the real numbers of its coordinates and of the
 * launch's parameters, pointers as a base and an offset, and writes down what the sites that are
 * asked about touch. What memory holds is unknown, and so is all that is computed from it. Where a
 * branch depends on that, all ways are walked until they meet again: what is touched there may be
 * touched, values that differ are unknown from there on. The result is the truth of the whole grid
 * or it is nothing: too many steps, a loop that depends on memory for long, and the walk gives up.
 */
#pragma once

#include <stdbool.h>
#include "footprint/kernel.h"
#include "footprint/byte_set.h"

enum sc_value_kind {
	SC_VALUE_UNKNOWN,
	SC_VALUE_NUMBER,
	SC_VALUE_PARAM,	 /* the pointer at offset `base` of the parameters, plus the number */
	SC_VALUE_SYMBOL, /* a variable, plus the number */
	SC_VALUE_PRIVATE /* of the thread's or its block's own memory */
};

/* What a node is for the thread at hand. */
struct sc_value {
	uint64_t number; /* no more bits set than the node has */
	uint32_t base;
	uint8_t kind; /* enum sc_value_kind */
};

/* A site that is asked about, and what comes of it. */
struct sc_walk_site {
	uint32_t site;
	bool is_lost; /* an address, or how much is touched there, is unknown */
	bool has_base;
	uint8_t kind; /* enum sc_value_kind of its addresses */
	uint32_t base;
	struct sc_byte_set must, may;
};

typedef SC_VECTOR(struct sc_walk_site) sc_walk_sites;

#define SC_WALK_NODES 4096
#define SC_WALK_DEPTH 24 /* ways that are open at one time */

struct sc_walk {
	struct sc_footprint_kernel *k;
	const struct sc_footprint_launch *launch;
	sc_walk_sites *sites; /* borrowed */
	uint32_t thread[6];   /* tid, ctaid */
	uint64_t steps;	      /* left */
	size_t room;	      /* spans that may still be kept */
	uint32_t count;	      /* nodes that matter */
	uint32_t *slots;      /* owned: of each node, its place among the values + 1, or 0 */
	uint32_t *meets;      /* owned: of each block, where its ways meet again, or SC_FLOW_NONE */
	bool *returns;	      /* owned: of each block, whether a thread can end after it */
	bool *skips;	      /* owned: of each block, whether the ways after it are skipped */
	uint32_t *stamps;     /* owned: of each block, the last skip that it was in */
	uint32_t *stack;      /* owned: blocks of the skip at hand */
	uint32_t stamp;
	/* owned: of each depth at which ways were walked, the values before them, and after. */
	struct sc_value *kept[SC_WALK_DEPTH];
	SC_VECTOR(uint32_t) nodes; /* block after block: those that matter, phis first */
	SC_VECTOR(uint32_t)
	block_nodes; /* of each block, its first in `nodes`; one more at the end */
	SC_VECTOR(uint32_t) block_sites; /* the same of `sites`, which are in the order of blocks */
	struct sc_value values[SC_WALK_NODES];
};

/* Walks all threads. False: it gave up, the sites say nothing. `steps` are taken from *budget. */
bool sc_walk_launch(struct sc_footprint_kernel *k, const struct sc_footprint_launch *launch,
		    sc_walk_sites *sites, uint64_t *budget);
void sc_walk_sites_fini(sc_walk_sites *sites);

/* value.c: a node that is no phi, from its operands. */
struct sc_value sc_value_of(const struct sc_walk *w, uint32_t node);
/* slice.c: fills `slots`, `nodes` and the lists of the blocks; false if that is too much. */
bool sc_walk_plan(struct sc_walk *w);
/* converge.c: fills `meets` and `returns`; false if that takes too many steps. */
bool sc_walk_find_meets(struct sc_walk *w);

/* Takes steps; false if there are none left. */
static inline bool sc_walk_spend(struct sc_walk *w, uint64_t steps)
{
	w->steps -= steps < w->steps ? steps : w->steps;
	return w->steps > 0;
}

static inline bool sc_value_is_same(const struct sc_value *x, const struct sc_value *y)
{
	return x->kind == y->kind &&
	       (x->kind == SC_VALUE_UNKNOWN || (x->number == y->number && x->base == y->base));
}
