/* Readers: how a span gets touches, and gives those that a new one may collide with.
 *
 * Naive form: a new touch is compared with all touches of the span, and drops those that it
 * replaces. So N streams that read the same bytes cost a comparison for each pair. Reads do not
 * collide with reads, so of many touches the plain reads are put off: they are added, and compared
 * all at once when something comes that may collide with a read, or when the touches have doubled.
 * What then stays is what the naive form would have kept, but for touches that come before
 * everything from now on (sc_past_is).
 */
#pragma once

#include "analyzer/memory/last_touches.h"
#include "analyzer/memory/span.h"

/* Drops the touches that a new one replaces. */
void sc_readers_drop(const struct sc_past *past, struct sc_span *s, const struct sc_touch *new);
/* The slow part of sc_readers_add. */
void sc_readers_add_to_many(const struct sc_past *past, struct sc_span *s,
			    const struct sc_touch *touch);

/* Adds a touch, and drops those that it replaces. Afterwards the span has only this touch if and
 * only if it is so in the naive form. */
static inline void sc_readers_add(const struct sc_past *past, struct sc_span *s,
				  const struct sc_touch *touch)
{
	if (sc_span_has_many(s)) {
		sc_readers_add_to_many(past, s, touch);
		return;
	}
	sc_readers_drop(past, s, touch);
	sc_span_push(s, touch);
	if (sc_span_has_many(s))
		sc_span_set_compared(s);
}

/* Compares the reads that were put off. */
void sc_readers_settle(const struct sc_past *past, struct sc_span *s);

/* Touches of a span, in the order in which they were added. */
struct sc_rivals {
	const struct sc_touch *touches;
	const uint32_t *indices; /* of those that are meant; NULL: all are */
	uint32_t count;
};

/* All that a touch may collide with; until the span changes. */
struct sc_rivals sc_readers_rivals(const struct sc_past *past, struct sc_span *s,
				   const struct sc_touch *touch);

static inline const struct sc_touch *sc_rivals_at(const struct sc_rivals *r, uint32_t i)
{
	return &r->touches[r->indices ? r->indices[i] : i];
}
