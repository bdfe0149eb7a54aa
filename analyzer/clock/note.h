/* Notes: what touches remember of an op, above all its `when`.
 *
 * The op itself is not copied for work of a stream, but read again from the trace if there is
 * something to report (sc_note_read_op in analyzer/memory/notes.h). So most notes use their first
 * cache line only.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/clock/interval.h"
#include "base/assert.h"
#include "trace/op.h"

struct sc_graph;

/* What makes an op's touches different from ordinary ones. */
enum sc_trait {
	SC_TRAIT_GRAPH = 1,   /* made by a node, or a node's host code: the order is the graph's */
	SC_TRAIT_WEAK = 2,    /* today's drivers order it beyond what any text promises (class O) */
	SC_TRAIT_LIBRARY = 4, /* made by code inside an NVIDIA library (0.4) */
	SC_TRAIT_FLAG = 16,   /* a kernel's of a word by which it follows the host (M-4) */
	SC_TRAIT_HOST = 32,   /* made by host code */
	SC_TRAIT_POLLED = 8   /* may be of those that are made to be used at the same time (W-2) */
};

/* All but the op is in the first cache line. */
struct sc_note {
	uint32_t refs;
	uint32_t context;	 /* that it ran in */
	uint16_t kind;		 /* enum sc_op_kind, of the op */
	uint8_t edge;		 /* enum sc_host_edge of a copy or fill */
	uint8_t traits;		 /* enum sc_trait: those that the op itself has */
	bool has_op : 1;	 /* `op` is there */
	bool is_callback : 1;	 /* made by host code inside a callback */
	bool is_nonblocking : 1; /* in a non-blocking stream */
	bool is_legacy : 1;	 /* in a legacy stream */
	bool source_staged : 1;	 /* its pageable source is staged by today's drivers (C-A1) */
	bool result_waited : 1;	 /* its pageable result is waited for by today's drivers (C-A2) */
	bool is_replay : 1;	 /* a launch's own note: its `when` moves on with replays */
	uint8_t early : 2; /* enum sc_footprint_early: of accesses that may come before a wait */
	uint16_t site;	   /* of the op's stack, from 1; 0: call sites are not kept apart */
	struct sc_interval when; /* `start` owned */
	struct sc_graph *graph;	 /* counted; of a launch or of a host node's run, or NULL */
	uint64_t sequence;	 /* of the op */
	struct sc_op op;
};
_Static_assert(offsetof(struct sc_note, op) == SC_CACHE_LINE, "one line");

/* A launch's note as it was when nodes got new parameters: it moves on, what they touched before
 * does not. */
struct sc_bygone {
	struct sc_note note;	  /* `graph` borrowed: it owns this */
	const struct sc_note *of; /* never followed */
	struct sc_bygone *next;
};

/* What makes touches of this op different, but for what depends on the copy (SC_TRAIT_WEAK). */
static inline uint8_t sc_note_traits(const struct sc_op *op)
{
	bool is_polled = op->kind == SC_OP_VALUE_WAIT || op->kind == SC_OP_VALUE_WRITE ||
			 op->kind == SC_OP_NODE;

	return (uint8_t)((op->flags & SC_FLAG_LIBRARY ? SC_TRAIT_LIBRARY : 0) |
			 (is_polled ? SC_TRAIT_POLLED : 0));
}
/* True if two notes are of one op, and of the same side of it. */
static inline bool sc_note_is_same(const struct sc_note *x, const struct sc_note *y)
{
	return x == y || (x->sequence == y->sequence && x->when.position == y->when.position &&
			  x->when.lane == y->when.lane && !x->graph && !y->graph);
}
static inline struct sc_note *sc_note_get(struct sc_note *n)
{
	sc_assert(n->refs > 0);
	n->refs++;
	return n;
}
