/* Wholes: touches of kernels known by parameter only, which may be of any byte; part of history.h.
 *
 * Naive form: an array in the order in which they came, of which a new touch drops those that it
 * replaces. Kernels of one stream get the same few hundred pointers again and again, so that a new
 * touch mostly replaces one from the middle. Here the touches are a list in that order, and found
 * by their parameter through chains: adding costs a few steps, unless some may be past. At most
 * SC_WHOLE_MAX are kept. Compared with the naive form in tests/unit/analyzer/test_whole.c.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/memory/last_touches.h"

#define SC_WHOLE_MAX 256

struct sc_whole {
	struct sc_touch touch;
	uint64_t parameter;
	uint16_t next, before; /* in the order in which they came; number + 1, 0: there is none */
	uint16_t same;	       /* the next one of its chain, likewise */
	bool is_piece; /* the touch is of a piece that a pool handed out, not of all bytes */
};

/* An empty one is all zero. */
struct sc_wholes {
	struct sc_whole *items; /* owned */
	uint16_t *chains;	/* owned: the first touch of each, number + 1 */
	uint32_t count, room;	/* of items and of chains; a power of two */
	uint16_t first, last;	/* number + 1 */
	uint16_t unused;	/* a list by `next` */
	bool is_mixed;		/* these are not all of one lane, one after the other */
	struct sc_last ends;	/* of these; in most programs a new op comes after all of them */
};

static inline const struct sc_whole *sc_wholes_at(const struct sc_wholes *w, uint16_t place)
{
	return place ? &w->items[place - 1] : NULL;
}

/* The touches in the order in which they came, each the next of the one before; NULL at the end. */
static inline const struct sc_whole *sc_wholes_first(const struct sc_wholes *w)
{
	return sc_wholes_at(w, w->first);
}

static inline const struct sc_whole *sc_wholes_next(const struct sc_wholes *w,
						    const struct sc_whole *one)
{
	return sc_wholes_at(w, one->next);
}

/* Adds a touch of `shape`, and drops those that it replaces, or that are past. The oldest half
 * makes room for more, and counts. */
void sc_wholes_add(struct sc_wholes *w, const struct sc_past *past, const struct sc_touch *touch,
		   const struct sc_access *shape);
void sc_wholes_fini(struct sc_wholes *w, struct sc_notes *notes);
