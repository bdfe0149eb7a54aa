/* Open pairs: which operations of a trace touch the same bytes, one of them writing, in no order.
 *
 * Unlike findings, which have one pair of those that one cause explains, these are all pairs, also
 * of atomic accesses, whose order CUDA leaves open, too. Accesses of the host with no call between
 * them are one operation, and so are those of a host function with the function. Left out are words
 * that are made to be used at the same time (docs/ordering.md W-2, M-4). Cost: the square of the
 * number of operations that use memory, of which there are SC_OPEN_OPS_MAX at most.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "analyzer/finding/finding.h"
#include "base/option.h"
#include "base/vector.h"
#include "extensions/questions/open_orders.h"
#include "trace/reader.h"

#define SC_OPEN_OPS_MAX	      2000
#define SC_OPEN_CONFLICTS_MAX 5000

struct sc_open_op {
	uint64_t sequence; /* of the op; of a graph's node, that of the node */
	uint64_t launch;   /* of a node: the launch that ran it, +1; else 0 */
	uint32_t thread;   /* that made the call, or the access */
	uint32_t node;	   /* place of a node that is in no inner graph, +1; else 0 */
	bool is_host;	   /* an access of the host's, outside of host functions */
};

/* Bytes that both operations of a pair use, one of them writing. */
struct sc_open_piece {
	struct sc_side side[2];
};

#define SC_OPEN_PIECES_MAX 16

struct sc_open_conflict {
	struct sc_open_pair pair; /* indices of operations, the earlier in the trace first */
	SC_VECTOR(struct sc_open_piece) pieces;
	bool is_cut; /* there are more */
};

struct sc_open_pairs {
	SC_VECTOR(struct sc_open_op) ops;
	SC_VECTOR(struct sc_open_conflict) conflicts;
	struct sc_open_orders order; /* what CUDA orders */
	bool is_cut;		     /* the trace has more of them, or uses of theirs */
};

/* Finds them in one more analysis of the trace. */
void sc_open_pairs_find(struct sc_open_pairs *p, struct sc_reader *r, const char *path,
			const struct sc_options *o);
void sc_open_pairs_fini(struct sc_open_pairs *p);
