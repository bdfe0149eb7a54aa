/* Spans: the touched bytes of an object, cut where touches begin and end; part of history.h.
 *
 * Disjoint and in order, each with the touches that nothing newer on all of its bytes replaces. Two
 * touches, the usual number, lie in the span itself. Of many touches the plain reads are compared
 * later, all at once (readers.h). Spans that were looked up lately are found at once
 * (span_index.h).
 */
#pragma once

#include <stdbool.h>
#include "analyzer/memory/notes.h"
#include "analyzer/memory/range.h"
#include "analyzer/memory/touch.h"

#define SC_SPAN_INSIDE 2
#define SC_SPAN_MANY   32 /* room from which on a span has many touches */

/* Touches that do not lie in the span. */
struct sc_span_outside {
	struct sc_touch *touches; /* owned */
	/* Only of many touches: */
	uint32_t *others;     /* owned: indices of the touches that are not plain reads */
	uint32_t other_count; /* in ascending order */
	uint32_t compared;    /* the first so many touches are compared with each other */
	uint32_t most;	      /* touches at which the others are compared too */
};

struct sc_span {
	struct sc_range range;	 /* first */
	struct sc_ranges *owner; /* borrowed: the object's spans; NULL: freed */
	uint32_t count, room;
	union {
		struct sc_touch inside[SC_SPAN_INSIDE]; /* room for no more */
		struct sc_span_outside outside;
	};
};
_Static_assert(sizeof(struct sc_span) == 2 * SC_CACHE_LINE, "two lines");

/* They have references of their own. */
static inline struct sc_touch *sc_span_touches(const struct sc_span *s)
{
	return s->room == SC_SPAN_INSIDE ? (struct sc_touch *)s->inside : s->outside.touches;
}

static inline bool sc_span_has_many(const struct sc_span *s)
{
	return s->room >= SC_SPAN_MANY;
}

/* The lowest span that ends above the address, or NULL. */
static inline struct sc_span *sc_span_from(const struct sc_ranges *spans, uint64_t address)
{
	return (struct sc_span *)sc_ranges_from(spans, address);
}

static inline bool sc_span_is(const struct sc_span *s, uint64_t first, uint64_t end)
{
	return s && s->range.start == first && s->range.end == end && s->owner;
}

/* The span of exactly these bytes in whatever object; NULL says nothing. */
static inline struct sc_span *sc_span_recall(struct sc_notes *notes, uint64_t first, uint64_t end)
{
	struct sc_span **pair = sc_span_index_pair(&notes->spans, first, end);

	if (sc_span_is(pair[0], first, end))
		return pair[0];
	return sc_span_is(pair[1], first, end) ? pair[1] : NULL;
}

/* The slow part of sc_span_exact. */
struct sc_span *sc_span_search(struct sc_ranges *spans, struct sc_notes *notes, uint64_t first,
			       uint64_t end);

/* The span of exactly these bytes, or NULL. */
static inline struct sc_span *sc_span_exact(struct sc_ranges *spans, struct sc_notes *notes,
					    uint64_t first, uint64_t end)
{
	struct sc_span *s = sc_span_recall(notes, first, end);

	return s && s->owner == spans ? s : sc_span_search(spans, notes, first, end);
}

/* A span of bytes that belong to none, with one touch. */
void sc_span_new(struct sc_ranges *spans, struct sc_notes *notes, uint64_t first, uint64_t end,
		 const struct sc_touch *touch);
void sc_span_free(struct sc_notes *notes, struct sc_span *s);
/* Cuts the span that contains `at` in two, so that one begins there. */
void sc_span_cut(struct sc_ranges *spans, struct sc_notes *notes, uint64_t at);
void sc_spans_fini(struct sc_ranges *spans, struct sc_notes *notes);
/* Doubles the room for touches. */
void sc_span_grow(struct sc_span *s);
/* Of a span with many touches: they are compared with each other, the last ones too. */
void sc_span_set_compared(struct sc_span *s);

/* Adds a touch, whose note is counted up; it has been compared, or is put off (readers.h). */
static inline void sc_span_push(struct sc_span *s, const struct sc_touch *touch)
{
	if (s->count == s->room)
		sc_span_grow(s);
	sc_span_touches(s)[s->count++] = sc_touch_get(touch);
}
