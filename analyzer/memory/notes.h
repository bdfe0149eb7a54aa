/* The store of notes, and of what goes with them: courses, places of spans, touches and views.
 *
 * Most routine ops have no note at all, as long as none is asked for (course.h).
 */
#ifndef SC_ANALYZER_MEMORY_NOTES_H
#define SC_ANALYZER_MEMORY_NOTES_H

#include "analyzer/memory/places.h"
#include "analyzer/memory/views.h"
#include "analyzer/order/note.h"
#include "analyzer/routine/course.h"
#include "base/slab.h"

struct sc_reader;
#define SC_NOTES_LEAVING 16

struct sc_notes {
	struct sc_clock_pool *pool;	/* borrowed */
	const struct sc_reader *reader; /* borrowed: of the trace; NULL: all ops are there */
	struct sc_slab slab;
	struct sc_courses courses;
	struct sc_slab touches;			   /* pairs of struct sc_touch (span.h) */
	struct sc_note *leaving[SC_NOTES_LEAVING]; /* counted: a ring of notes to be put, or NULL */
	uint32_t left;				   /* how many were put there ever */
	struct sc_places places;
	struct sc_views views;
	uint64_t forgotten;	     /* touches that something later could yet have met */
	uint64_t forgotten_possible; /* the same of kernels known by their parameters only */
};

void sc_notes_fini(struct sc_notes *all);
/* A note of an op, count 1; keeps its own reference of the clock. */
struct sc_note *sc_note_new(struct sc_notes *all, const struct sc_op *op, uint64_t sequence,
			    const struct sc_when *when);
/* Makes sure that the op is there, as far as the trace still has it. */
void sc_note_read_op(struct sc_notes *all, struct sc_note *n);
/* A launch's note is about to move on: nodes that changed since then keep a copy of the old
 * note. */
void sc_note_leave(struct sc_note *n);
/* Gives back a note that nothing refers to. */
void sc_note_drop(struct sc_notes *all, struct sc_note *n);
static inline void sc_note_put(struct sc_notes *all, struct sc_note *n)
{
	if (!--n->refs)
		sc_note_drop(all, n);
}

/* The same some time later, when the note has come into the cache. */
static inline void sc_note_put_later(struct sc_notes *all, struct sc_note *n)
{
	struct sc_note **place = &all->leaving[all->left++ % SC_NOTES_LEAVING], *old = *place;

	*place = n;
	__builtin_prefetch(n, 1);
	if (old)
		sc_note_put(all, old);
}

#endif
