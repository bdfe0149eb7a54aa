/* Last touches: adding touches, and dropping those that are stood for. */
#include "analyzer/memory/last_touches.h"

#include <stdbool.h>
#include "base/assert.h"

void sc_last_fini(struct sc_last *l, struct sc_notes *notes)
{
	for (size_t i = 0; i < l->touches.count; i++)
		sc_note_put(notes, l->touches.items[i].note);
	sc_vector_fini(&l->touches);
}

static bool is_parted(const struct sc_past *past, const struct sc_touch *x,
		      const struct sc_touch *y)
{
	const struct sc_callbacks *callbacks = &past->order->callbacks;

	return callbacks->oldest && sc_callbacks_part(callbacks, &x->note->when, &y->note->when);
}

/* The usual case: the lane did the same before; its entry moves on. */
static bool move(struct sc_last *l, const struct sc_past *past, const struct sc_touch *touch)
{
	for (size_t i = 0; i < l->touches.count; i++) {
		struct sc_touch *t = &l->touches.items[i];

		if (t->lane != touch->lane || t->mode != touch->mode || t->known != touch->known ||
		    t->traits != touch->traits || t->traits & SC_TRAIT_GRAPH ||
		    t->position > touch->position || is_parted(past, t, touch))
			continue;
		sc_note_put(past->notes, t->note);
		*t = sc_touch_get(touch);
		return 1;
	}
	return 0;
}

void sc_last_add(struct sc_last *l, const struct sc_past *past, const struct sc_touch *touch)
{
	size_t kept = 0;

	sc_assert(touch->note->refs > 0);
	if (move(l, past, touch))
		return;
	for (size_t i = 0; i < l->touches.count; i++) {
		struct sc_touch *t = &l->touches.items[i];

		if (sc_past_replaces(past, touch, t) || sc_past_is(past, t))
			sc_note_put(past->notes, t->note);
		else
			l->touches.items[kept++] = *t;
	}
	l->touches.count = kept;
	sc_vector_push(&l->touches, sc_touch_get(touch));
}

bool sc_last_is_ordered(const struct sc_last *l, const struct sc_touch *touch)
{
	for (size_t i = 0; i < l->touches.count; i++)
		if (sc_touch_unordered(&l->touches.items[i], touch))
			return 0;
	return 1;
}
