/* History: which ops touched which bytes of one allocation last, as far as that can still matter.
 *
 * Naive form: a list of all touches; a new one is compared with each whose bytes it meets. Here
 * (after FastTrack) bytes are kept in spans with the touches that nothing newer replaces:
 *
 *	spans	 linear ranges, disjoint, each with its last writers and readers (span.h)
 *	strided	 rows and slices, as whole shapes
 *	whole	 kernels known by parameter only, which may touch any byte (whole.h)
 *	last	 the last touches of any byte (last_touches.h): if all of them are ordered
 *		 before a new op, no byte need be looked at; also what a free is compared
 *		 with. Only kept where it helps: many spans, strided shapes, graphs
 *
 * Touches that come before every later op are dropped when met. Compared with the naive form on
 * random operations in tests/unit/analyzer/test_history.c.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/memory/conflicts.h"
#include "analyzer/memory/last_touches.h"
#include "analyzer/memory/readers.h"
#include "analyzer/memory/shape.h"
#include "analyzer/memory/span.h"
#include "analyzer/memory/whole.h"

struct sc_strided {
	struct sc_touch touch;
	struct sc_access shape;
};

#define SC_HISTORY_RECENT 16

/* All but the spans, which few objects need. */
struct sc_history_extra {
	SC_VECTOR(struct sc_strided) strided;
	const struct sc_note *dropped_for; /* borrowed, never followed: the last op that looked
					    * which shapes are past */
	struct sc_wholes whole;
	struct sc_last last;
	bool has_last;
	/* The last touch that all of `last` and `whole` were found to be ordered with. Another one
	 * of its op is, too, unless a different op touched the object since. */
	struct {
		const struct sc_note *note; /* borrowed, never followed; NULL: none */
		const struct sc_clock *start;
		uint64_t sequence;
		uint32_t lane;
	} after;
	bool is_watched;  /* changes are counted */
	uint64_t changes; /* how often bytes got a touch, or lost all, since `is_watched` */
	struct {
		uint64_t first, end;
	} recent[SC_HISTORY_RECENT]; /* which bytes; a ring, the newest at changes - 1 */
};

/* An empty history is all zero. */
struct sc_history {
	struct sc_history_extra *extra; /* owned; NULL: the spans are all */
	struct sc_ranges spans;		/* struct sc_span, owned */
};

/* The history that a span is in. */
static inline struct sc_history *sc_span_history(const struct sc_span *s)
{
	return (struct sc_history *)((char *)s->owner - offsetof(struct sc_history, spans));
}

/* Adds to `out` what the touch (of `shape`) collides with, one entry per op. */
void sc_history_check(struct sc_history *h, const struct sc_past *past,
		      const struct sc_touch *touch, const struct sc_access *shape,
		      sc_conflicts *out);
/* The same for the end of the whole object: only order counts; one entry per lane. */
void sc_history_check_end(struct sc_history *h, const struct sc_past *past,
			  const struct sc_touch *end, sc_conflicts *out);
/* Remembers a touch. */
void sc_history_add(struct sc_history *h, const struct sc_past *past, const struct sc_touch *touch,
		    const struct sc_access *shape);
/* Checks a touch and remembers it. `hint`: the span where the bytes were found before, or NULL; the
 * span may have been freed since then. */
void sc_history_use(struct sc_history *h, const struct sc_past *past, const struct sc_touch *touch,
		    const struct sc_access *shape, struct sc_span *hint, sc_conflicts *out);
/* The same of a touch that stands for all nodes of a launch; its nodes are added one by one. */
void sc_history_add_launch(struct sc_history *h, const struct sc_past *past,
			   const struct sc_touch *touch);
/* Counts changes from now on. */
void sc_history_watch(struct sc_history *h);
/* How often touches changed since the history is watched. */
static inline uint64_t sc_history_changes(const struct sc_history *h)
{
	return h->extra ? h->extra->changes : 0;
}
/* True if touches of [first, end) changed since there were `seen` changes, or may have. */
bool sc_history_is_changed(const struct sc_history *h, uint64_t seen, uint64_t first, uint64_t end);
/* The slow part of sc_history_changed. */
void sc_history_note_change(struct sc_history_extra *b, uint64_t first, uint64_t end);
/* Notes that the touches of these bytes change; also at another address of the bytes. */
static inline void sc_history_changed(struct sc_history *h, uint64_t first, uint64_t end)
{
	if (h->extra && h->extra->is_watched)
		sc_history_note_change(h->extra, first, end);
}
/* Forgets all that happened to [first, end). */
void sc_history_erase(struct sc_history *h, const struct sc_past *past, uint64_t first,
		      uint64_t end);
void sc_history_fini(struct sc_history *h, struct sc_notes *notes);
