/* Last touches: those of any byte of an object, for questions that need no byte looked at.
 *
 * Naive form: all touches. Here a touch is dropped if a later one stands for it: whatever comes
 * after the later touch comes after the dropped one too. A graph's launch has one touch for all of
 * its nodes.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/memory/touch_order.h"
#include "analyzer/memory/notes.h"
#include "analyzer/order/order.h"

/* What the memory of touches needs to know of the rest. */
struct sc_past {
	const struct sc_order *order;
	struct sc_notes *notes;
};

/* True if no later op can race with the touch any more. */
static inline bool sc_past_is(const struct sc_past *past, const struct sc_touch *t)
{
	const struct sc_interval *w;

	if (t->traits & SC_TRAIT_GRAPH) { /* moves with replays */
		w = &sc_touch_note(t)->when;
		return sc_order_is_past(past->order, w->lane, w->position);
	}
	return sc_order_is_past(past->order, t->lane, t->position);
}

/* True if a new touch stands for `old` also where host functions are pending. */
static inline bool sc_past_covers(const struct sc_past *past, const struct sc_touch *new,
				  const struct sc_touch *old)
{
	const struct sc_callbacks *callbacks = &past->order->callbacks;

	return !callbacks->oldest || new->note == old->note /* a replay */ ||
	       !sc_callbacks_part(callbacks, &sc_touch_note(old)->when, &sc_touch_note(new)->when);
}

/* True if whatever a later record does that races with `old` also races with `new`. */
static inline bool sc_past_replaces(const struct sc_past *past, const struct sc_touch *new,
				    const struct sc_touch *old)
{
	return sc_touch_replaces(new, old) && sc_past_covers(past, new, old);
}

/* True if nothing is to be remembered of `old` besides `new`; `is_before`: of the two, `old` is
 * known to be the earlier one. */
static inline bool sc_past_drops(const struct sc_past *past, const struct sc_touch *new,
				 const struct sc_touch *old, bool is_before)
{
	if (sc_touch_is_replayed(new, old) || (is_before && sc_touch_outdoes(new, old)))
		return sc_past_covers(past, new, old) || sc_past_is(past, old);
	return sc_past_is(past, old);
}

/* An empty one is all zero. */
struct sc_last {
	SC_VECTOR(struct sc_touch) touches; /* references of their own */
};

void sc_last_fini(struct sc_last *l, struct sc_notes *notes);
void sc_last_add(struct sc_last *l, const struct sc_past *past, const struct sc_touch *touch);
/* True if all are ordered with the touch, so that it races with nothing. */
bool sc_last_is_ordered(const struct sc_last *l, const struct sc_touch *touch);
