/* Spans: the touched bytes of an object, cut where touches begin and end; part of history.h.
 *
 * Disjoint and in order, each with the touches that nothing newer on all of its bytes replaces. As
 * long as only routine ops come by these are brief ones, of which two, the usual number, lie in the
 * span itself. A caller that needs full touches has them made full first (sc_spans_part). Spans of
 * exactly the bytes that are looked up are found at once (places.h).
 */
#ifndef SC_ANALYZER_MEMORY_SPAN_H
#define SC_ANALYZER_MEMORY_SPAN_H

#include <stdbool.h>
#include "analyzer/memory/notes.h"
#include "analyzer/memory/range.h"
#include "analyzer/memory/touch.h"

#define SC_SPAN_INSIDE 2

struct sc_span {
	struct sc_range range;	/* first */
	struct sc_spans *owner; /* borrowed: the set that it is in; NULL: freed */
	uint32_t count;
	uint8_t grown; /* how often the room for touches was doubled */
	bool is_alone; /* nothing but the owner's spans remembers its bytes */
	bool is_brief; /* Touches are stored as `struct sc_brief`; implies `is_alone`. */
	union {
		struct sc_brief inside[SC_SPAN_INSIDE]; /* brief, not grown */
		struct sc_brief *outside;		/* brief and grown: owned */
		struct sc_touch *touches;		/* owned, references of their own */
	};
};
_Static_assert(sizeof(struct sc_span) == SC_CACHE_LINE, "one line");

static inline struct sc_brief *sc_span_briefs(const struct sc_span *s)
{
	return s->grown ? s->outside : (struct sc_brief *)s->inside;
}

/* An empty set is all zero. */
struct sc_spans {
	uint64_t start,
		bytes;	/* nothing but the spans remembers these, and only there: history.h */
	bool has_brief; /* some spans may be */
	struct sc_ranges ranges; /* struct sc_span, owned */
};

/* The lowest span that ends above the address, or NULL. */
static inline struct sc_span *sc_span_from(const struct sc_spans *all, uint64_t address)
{
	return (struct sc_span *)sc_ranges_from(&all->ranges, address);
}

static inline bool sc_span_is(const struct sc_span *s, uint64_t first, uint64_t end)
{
	return s && s->range.start == first && s->range.end == end && s->owner;
}

/* The span of exactly these bytes in whatever set, or NULL; some may be missed. */
static inline struct sc_span *sc_span_anywhere(struct sc_notes *notes, uint64_t first, uint64_t end)
{
	struct sc_places *places = &notes->places;
	struct sc_span *home, **recent;

	if (places->homes) {
		uint64_t number = sc_places_home(first, end);

		home = &places->homes[number];
		if (sc_span_is(home, first, end))
			return home;
		home = &places->homes[number ^ 1];
		if (sc_span_is(home, first, end))
			return home;
	}
	recent = sc_places_recent(places, first, end);
	if (sc_span_is(recent[0], first, end))
		return recent[0];
	return sc_span_is(recent[1], first, end) ? recent[1] : NULL;
}

/* The slow part of sc_span_exact. */
struct sc_span *sc_span_search(struct sc_spans *all, struct sc_notes *notes, uint64_t first,
			       uint64_t end);

/* The span of exactly these bytes, or NULL. */
static inline struct sc_span *sc_span_exact(struct sc_spans *all, struct sc_notes *notes,
					    uint64_t first, uint64_t end)
{
	struct sc_span *s = sc_span_anywhere(notes, first, end);

	return s && s->owner == all ? s : sc_span_search(all, notes, first, end);
}
/* A span of bytes that belong to none, with one touch. */
void sc_span_new(struct sc_spans *all, struct sc_notes *notes, uint64_t first, uint64_t end,
		 const struct sc_touch *touch);
void sc_span_free(struct sc_notes *notes, struct sc_span *s);
static inline uint32_t sc_span_room(const struct sc_span *s)
{
	return (uint32_t)SC_SPAN_INSIDE << s->grown;
}
/* Doubles the room for touches. */
void sc_span_grow(struct sc_span *s, struct sc_notes *notes);
/* The span's touches become full ones. */
void sc_span_part(struct sc_span *s, struct sc_notes *notes);
/* One without touches is brief from now on. */
void sc_span_clear(struct sc_span *s, struct sc_notes *notes);
/* Cuts the span that contains `at` in two, so that one begins there; it is not brief. */
void sc_span_cut(struct sc_spans *all, struct sc_notes *notes, uint64_t at);
void sc_spans_fini(struct sc_spans *all, struct sc_notes *notes);
/* From now on something else remembers these bytes, too. */
void sc_spans_share(struct sc_spans *all, struct sc_notes *notes);
/* Touches become full ones, before anything but routine.c looks at them. */
void sc_spans_part(struct sc_spans *all, struct sc_notes *notes);

/* Adds a touch, whose note is counted up, to a span that is not brief. */
static inline void sc_span_push(struct sc_span *s, struct sc_notes *notes,
				const struct sc_touch *touch)
{
	if (s->count == sc_span_room(s))
		sc_span_grow(s, notes);
	s->touches[s->count++] = sc_touch_get(touch);
}

#endif
