/* Spans: made, cut and freed. */
#include "analyzer/span.h"

#include <stdlib.h>
#include <string.h>
#include "analyzer/common.h"
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

static struct sc_span *add(struct sc_spans *all, struct sc_notes *notes, uint64_t first,
			   uint64_t end)
{
	struct sc_span *s = sc_places_take(&notes->places, first, end);

	s->range = (struct sc_range){.start = first, .end = end};
	s->owner = all;
	s->count = 0;
	s->grown = 0;
	s->is_alone = first - all->start < all->bytes;
	sc_ranges_insert(&all->ranges, &s->range);
	return s;
}

void sc_span_new(struct sc_spans *all, struct sc_notes *notes, uint64_t first, uint64_t end,
		 const struct sc_touch *touch)
{
	sc_span_push(add(all, notes, first, end), touch);
}

void sc_span_free(struct sc_notes *notes, struct sc_span *s)
{
	sc_ranges_remove(&s->owner->ranges, &s->range);
	for (uint32_t i = 0; i < s->count; i++)
		sc_note_put(notes, sc_span_touches(s)[i].note);
	if (s->grown)
		free(s->outside);
	s->owner = NULL;
	sc_places_give(&notes->places, s);
}

struct sc_touch *sc_span_grow(struct sc_span *s)
{
	struct sc_touch *old = s->grown ? s->outside : NULL, *new;

	s->grown++;
	new = sc_heap_xrealloc(old, (size_t)SC_SPAN_INSIDE << s->grown, sizeof(*new));
	if (!old)
		memcpy(new, s->inside, sizeof(s->inside));
	s->outside = new;
	return new;
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
		sc_span_push(high, &sc_span_touches(low)[i]);
}

void sc_spans_fini(struct sc_spans *all, struct sc_notes *notes)
{
	for (struct sc_range *r; (r = sc_ranges_last(&all->ranges));)
		sc_span_free(notes, (struct sc_span *)r);
}

void sc_spans_share(struct sc_spans *all)
{
	struct sc_span *s;

	if (!all->bytes)
		return;
	all->bytes = 0;
	for (s = sc_span_from(all, 0); s; s = sc_span_from(all, s->range.end))
		s->is_alone = 0;
}

static void part(struct sc_notes *notes, struct sc_touch *t)
{
	struct sc_note *old = t->note;

	if (!old->is_common)
		return;
	t->note = sc_common_part(notes, old, t->kind, t->position);
	sc_note_put(notes, old);
}

void sc_spans_part_all(struct sc_spans *all, struct sc_notes *notes)
{
	const struct sc_span *s;

	all->has_common = all->bytes != 0;
	for (s = sc_span_from(all, 0); s; s = sc_span_from(all, s->range.end))
		for (uint32_t i = 0; i < s->count; i++)
			part(notes, &sc_span_touches(s)[i]);
}
