/* Spans: made, cut and freed. */
#include "analyzer/memory/span.h"

#include <stdlib.h>
#include <string.h>
#include "base/heap.h"

struct sc_span *sc_span_search(struct sc_spans *all, struct sc_notes *notes, uint64_t first,
			       uint64_t end)
{
	struct sc_span **recent = sc_places_recent(&notes->places, first, end);
	struct sc_span *s = (struct sc_span *)sc_ranges_at(&all->ranges, first);

	if (!sc_span_is(s, first, end))
		return NULL;
	recent[1] = recent[0];
	recent[0] = s;
	return s;
}

/* Room for the first touches of a span that is not brief. */
static struct sc_touch *take_touches(struct sc_notes *notes)
{
	return sc_slab_take(&notes->touches, SC_SPAN_INSIDE * sizeof(struct sc_touch));
}

static void give_touches(struct sc_notes *notes, struct sc_touch *touches, uint8_t grown)
{
	if (grown)
		free(touches);
	else
		sc_slab_give(&notes->touches, touches);
}

static struct sc_span *add(struct sc_spans *all, struct sc_notes *notes, uint64_t first,
			   uint64_t end)
{
	struct sc_span *s = sc_places_take(&notes->places, first, end);

	s->range = (struct sc_range){.start = first, .end = end};
	s->owner = all;
	s->count = 0;
	s->grown = 0;
	s->is_alone = first - all->start < all->bytes;
	s->is_brief = 0;
	s->touches = take_touches(notes);
	sc_ranges_insert(&all->ranges, &s->range);
	return s;
}

void sc_span_new(struct sc_spans *all, struct sc_notes *notes, uint64_t first, uint64_t end,
		 const struct sc_touch *touch)
{
	sc_span_push(add(all, notes, first, end), notes, touch);
}

static void free_briefs(struct sc_span *s, struct sc_notes *notes)
{
	for (uint32_t i = 0; i < s->count; i++)
		sc_course_put(&notes->courses, notes->pool, &sc_span_briefs(s)[i]);
	if (s->grown)
		free(s->outside);
}

static void free_touches(struct sc_span *s, struct sc_notes *notes)
{
	for (uint32_t i = 0; i < s->count; i++)
		sc_note_put(notes, s->touches[i].note);
	give_touches(notes, s->touches, s->grown);
}

void sc_span_free(struct sc_notes *notes, struct sc_span *s)
{
	sc_ranges_remove(&s->owner->ranges, &s->range);
	if (s->is_brief)
		free_briefs(s, notes);
	else
		free_touches(s, notes);
	s->owner = NULL;
	sc_places_give(&notes->places, s);
}

static void grow_brief(struct sc_span *s)
{
	struct sc_brief *old = s->grown ? s->outside : NULL, *new;

	s->grown++;
	new = sc_heap_xrealloc(old, (size_t)SC_SPAN_INSIDE << s->grown, sizeof(*new));
	if (!old)
		memcpy(new, s->inside, sizeof(s->inside));
	s->outside = new;
}

void sc_span_grow(struct sc_span *s, struct sc_notes *notes)
{
	struct sc_touch *old = s->grown ? s->touches : NULL, *new;

	if (s->is_brief) {
		grow_brief(s);
		return;
	}
	new = sc_heap_xrealloc(old, (size_t)SC_SPAN_INSIDE << (s->grown + 1), sizeof(*new));
	if (!old) {
		memcpy(new, s->touches, SC_SPAN_INSIDE * sizeof(*new));
		give_touches(notes, s->touches, 0);
	}
	s->touches = new;
	s->grown++;
}

static struct sc_touch *room_for_all(const struct sc_span *s, struct sc_notes *notes)
{
	return s->grown ? sc_heap_xrealloc(NULL, sc_span_room(s), sizeof(struct sc_touch))
			: take_touches(notes);
}

void sc_span_part(struct sc_span *s, struct sc_notes *notes)
{
	const struct sc_brief *briefs = sc_span_briefs(s);
	struct sc_touch *touches = room_for_all(s, notes);

	for (uint32_t i = 0; i < s->count; i++) {
		touches[i] = sc_touch_full(&briefs[i], sc_course_note(notes, &briefs[i]),
					   s->range.start, s->range.end);
		sc_course_put(&notes->courses, notes->pool, &briefs[i]);
	}
	if (s->grown)
		free(s->outside);
	s->touches = touches;
	s->is_brief = 0;
}

void sc_span_clear(struct sc_span *s, struct sc_notes *notes)
{
	if (s->is_brief)
		return;
	give_touches(notes, s->touches, s->grown);
	s->is_brief = 1;
	s->grown = 0;
}

void sc_span_cut(struct sc_spans *all, struct sc_notes *notes, uint64_t at)
{
	struct sc_span *low = (struct sc_span *)sc_ranges_at(&all->ranges, at), *high;
	uint64_t end;

	if (!low || low->range.start == at)
		return;
	end = low->range.end;
	low->range.end = at;
	high = add(all, notes, at, end);
	for (uint32_t i = 0; i < low->count; i++)
		sc_span_push(high, notes, &low->touches[i]);
}

void sc_spans_fini(struct sc_spans *all, struct sc_notes *notes)
{
	for (struct sc_range *r; (r = sc_ranges_last(&all->ranges));)
		sc_span_free(notes, (struct sc_span *)r);
}

void sc_spans_part(struct sc_spans *all, struct sc_notes *notes)
{
	struct sc_span *s;

	if (!all->has_brief)
		return;
	all->has_brief = all->bytes != 0;
	for (s = sc_span_from(all, 0); s; s = sc_span_from(all, s->range.end))
		if (s->is_brief)
			sc_span_part(s, notes);
}

void sc_spans_share(struct sc_spans *all, struct sc_notes *notes)
{
	struct sc_span *s;

	if (!all->bytes)
		return;
	all->bytes = 0;
	sc_spans_part(all, notes);
	for (s = sc_span_from(all, 0); s; s = sc_span_from(all, s->range.end))
		s->is_alone = 0;
}
