/* The store of notes, and of what goes with them: spans, and counters. */
#pragma once

#include <stddef.h>
#include <string.h>
#include "analyzer/memory/span_index.h"
#include "analyzer/clock/note.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/vector.h"

struct sc_reader;

#define SC_NOTES_LEAVING 16
#define SC_NOTES_SITES	 63 /* that are kept apart; of more some share a number */

struct sc_notes {
	struct sc_clock_pool *pool;	/* borrowed */
	const struct sc_reader *reader; /* borrowed: of the trace; NULL: no op can be read */
	bool keeps_ops;			/* they may be gone from the trace later */
	bool keeps_sites;		/* settings.keeps_sites */
	struct sc_u64_map sites;	/* numbers of stacks, + 1 */
	struct sc_slab slab;
	struct sc_note *leaving[SC_NOTES_LEAVING]; /* a ring of notes to be put, or NULL */
	uint32_t left;				   /* how many were put there ever */
	struct sc_span_index spans;
	/* Pairs of unordered launches that may touch any byte of one allocation, into which they
	 * were given different pointers (SC-209). Frameworks hand out parts of large blocks, so
	 * most such pairs touch different bytes; they are counted, not reported. */
	uint64_t uncompared_pairs;
	uint32_t uncompared_kernels[2]; /* of the first pair */
	/* The same of a launch and other work, which lies where another pointer leads. */
	uint64_t uncompared_parts;
	SC_VECTOR(uint64_t) reached; /* for readers.c: a position of each lane, 0 between uses */
	uint64_t compared;	     /* of many touches of a span: those looked at, for tests */
	uint64_t forgotten;	     /* touches that something later could yet have met */
	uint64_t forgotten_possible; /* the same of kernels known by their parameters only */
};

void sc_notes_fini(struct sc_notes *all);
/* The number of an op's call site. */
uint16_t sc_notes_site(struct sc_notes *all, const struct sc_op *op);
/* Copies the op. */
static inline void sc_note_set_op(struct sc_note *n, const struct sc_op *op)
{
	n->op = *op;
	n->has_op = 1;
}
/* A note of an op, count 1, without the op; keeps its own reference of the clock, which is no pair:
 * what is known by luck counts. */
static inline struct sc_note *sc_note_new(struct sc_notes *all, const struct sc_op *op,
					  uint64_t sequence, const struct sc_interval *when)
{
	struct sc_note *n = sc_slab_take(&all->slab, sizeof(*n));

	memset(n, 0, offsetof(struct sc_note, op));
	n->refs = 1;
	n->context = op->context;
	n->kind = op->kind;
	n->traits = sc_note_traits(op);
	n->when = *when;
	n->sequence = sequence;
	n->when.start = sc_clock_get(sc_clock_all(when->start));
	if (all->keeps_sites)
		n->site = sc_notes_site(all, op);
	if (all->keeps_ops)
		sc_note_set_op(n, op);
	return n;
}
/* Makes sure that the op is there, as far as the trace still has it. */
void sc_note_read_op(struct sc_notes *all, struct sc_note *n);
/* A launch's note is about to move on: nodes that changed since then keep a copy of the old
 * note. */
void sc_note_leave(struct sc_note *n);
/* Gives back a note that nothing refers to. */
void sc_note_drop(struct sc_notes *all, struct sc_note *n);
static inline void sc_note_put(struct sc_notes *all, struct sc_note *n)
{
	sc_assert(n->refs > 0);
	if (!--n->refs)
		sc_note_drop(all, n);
}
/* The same some time later, when the note has come into the cache: for notes of earlier ops. */
static inline void sc_note_put_later(struct sc_notes *all, struct sc_note *n)
{
	struct sc_note **place = &all->leaving[all->left++ % SC_NOTES_LEAVING], *old = *place;

	*place = n;
	__builtin_prefetch(n, 1);
	if (old)
		sc_note_put(all, old);
}
