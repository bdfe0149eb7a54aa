/* Notes: what touches remember of an op: a copy of it and its `when`, counted. */
#ifndef SC_ANALYZER_NOTE_H
#define SC_ANALYZER_NOTE_H

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

/* A launch's note as it was when nodes got new parameters: it moves on, what they touched before
 * does not. */
struct sc_bygone {
	struct sc_note note;	  /* `graph` borrowed: it owns this */
	const struct sc_note *of; /* never followed */
	struct sc_bygone *next;
};

struct sc_notes {
	struct sc_clock_pool *pool; /* borrowed */
	struct sc_note *free;	    /* owned */
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
/* A launch's note is about to move on: nodes that changed since then stay behind. */
void sc_note_leave(struct sc_note *n);
void sc_note_put(struct sc_notes *all, struct sc_note *n);

#endif
