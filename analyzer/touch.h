/* Touches: one side of a possible conflict, kept until nothing can race with it any more.
 *
 * All touches of one op share one note: a copy of the op and its `when`, counted.
 */
#ifndef SC_ANALYZER_TOUCH_H
#define SC_ANALYZER_TOUCH_H

#include "analyzer/graph.h"
#include "analyzer/when.h"
#include "trace/op.h"

struct sc_note {
	uint32_t refs;
	_Bool is_callback;    /* made by host code inside a callback */
	_Bool is_nonblocking; /* in a non-blocking stream */
	_Bool is_legacy;      /* in a legacy stream */
	_Bool source_staged;  /* its pageable source is staged by today's drivers (C-A1) */
	_Bool result_waited;  /* its pageable result is waited for by today's drivers (C-A2) */
	uint8_t edge;	      /* enum sc_edge of a copy or fill */
	uint32_t context;     /* that it ran in */
	uint64_t sequence;    /* of the op */
	struct sc_when when;  /* `start` owned */
	struct sc_op op;
	struct sc_graph *graph; /* counted; of a launch or of a host node's run, else NULL */
	_Bool is_replay;	/* a launch's own note: its `when` moves on with replays */
	struct sc_note *next;	/* in the free list */
};

struct sc_notes {
	struct sc_clock_pool *pool; /* borrowed */
	struct sc_note *free;	    /* owned */
};

/* What one op does to some bytes. */
struct sc_touch {
	struct sc_note *note; /* owned reference */
	uint64_t first, end;  /* the bytes as one span */
	uint64_t pointer;     /* value of the parameter of a touch known by parameter only */
	uint8_t mode;	      /* enum sc_mode */
	uint8_t known;	      /* enum sc_known */
	uint8_t how;	      /* enum sc_how */
	uint8_t reason;	      /* enum sc_footprint_reason: why it is not exact */
	_Bool is_launch;      /* stands for all nodes of a launch, `node` is one of them */
	uint32_t node;	      /* of the note's graph */
};

void sc_notes_fini(struct sc_notes *all);
/* A note of an op, count 1; keeps its own reference of the clock. */
struct sc_note *sc_note_new(struct sc_notes *all, const struct sc_op *op, uint64_t sequence,
			    const struct sc_when *when);
static inline struct sc_note *sc_note_get(struct sc_note *n)
{
	n->refs++;
	return n;
}
void sc_note_put(struct sc_notes *all, struct sc_note *n);

static inline _Bool sc_mode_writes(uint8_t mode)
{
	return mode & SC_WRITE || mode == SC_ATOMIC;
}

/* The source of a pageable copy, which today's drivers stage before they return (C-A1). */
static inline _Bool sc_touch_is_staged(const struct sc_touch *t)
{
	return t->note->source_staged && t->mode == SC_READ;
}

/* The result of a pageable copy, which today's drivers wait for (C-A2). */
static inline _Bool sc_touch_is_waited(const struct sc_touch *t)
{
	return t->note->result_waited && t->mode == SC_WRITE;
}

/* Drivers provide the order that no text promises (class O): of a staged source, and of all of a
 * copy whose result is waited for. */
static inline _Bool sc_touch_is_weak(const struct sc_touch *t)
{
	return sc_touch_is_staged(t) || t->note->result_waited;
}

/* Words that streams wait for and write are made to be used at the same time: a wait reads beside
 * whatever fills memory, a write beside host code, kernels and other such ops that look at it
 * (W-2, M-4). */
_Bool sc_op_is_polled(const struct sc_op *a, const struct sc_op *b);

/* True if both were made by one launch of a graph. */
_Bool sc_touch_same_launch(const struct sc_touch *a, const struct sc_touch *b);

/* The op that made a touch: a launch's node, not the launch. */
static inline const struct sc_op *sc_touch_op(const struct sc_touch *t)
{
	return t->note->is_replay ? &t->note->graph->nodes.items[t->node].op : &t->note->op;
}

/* True if x is complete before y starts, nodes of graphs included. */
_Bool sc_touch_before(const struct sc_touch *x, const struct sc_touch *y);
_Bool sc_touch_unordered_in_graph(const struct sc_touch *x, const struct sc_touch *y);

static inline _Bool sc_touch_unordered(const struct sc_touch *x, const struct sc_touch *y)
{
	if (x->note->graph || y->note->graph)
		return sc_touch_unordered_in_graph(x, y);
	return sc_when_unordered(&x->note->when, &y->note->when);
}

/* True if two touches of the same bytes collide unless they are ordered (0.4). */
static inline _Bool sc_touch_conflicts(const struct sc_touch *a, const struct sc_touch *b)
{
	return (sc_mode_writes(a->mode) || sc_mode_writes(b->mode)) &&
	       !(a->mode == SC_ATOMIC && b->mode == SC_ATOMIC) &&
	       !(sc_touch_op(a)->flags & sc_touch_op(b)->flags & SC_FLAG_LIBRARY) &&
	       sc_touch_unordered(a, b) && !sc_op_is_polled(sc_touch_op(a), sc_touch_op(b)) &&
	       !sc_op_is_polled(sc_touch_op(b), sc_touch_op(a));
}

/* True if whatever races with `old` later also races with `new`, at least as surely. */
_Bool sc_touch_replaces(const struct sc_touch *new, const struct sc_touch *old);

#endif
