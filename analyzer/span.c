/* Spans: made, cut and freed. */
#include "analyzer/span.h"

#include <stdlib.h>
#include "base/heap.h"

struct sc_span *sc_span_exact(struct sc_spans *all, uint64_t first, uint64_t end)
{
	struct sc_range *r = all->found;

	if (!r || r->start != first || r->end != end)
		r = sc_ranges_at(&all->ranges, first);
	if (!r || r->start != first || r->end != end)
		return NULL;
	all->found = r;
	return (struct sc_span *)r;
}

void sc_span_new(struct sc_spans *all, uint64_t first, uint64_t end, const struct sc_touch *touch)
{
	struct sc_span *s = sc_heap_xcalloc(1, sizeof(*s));

	s->range.start = first;
	s->range.end = end;
	sc_vector_push(&s->touches, sc_touch_get(touch));
	sc_ranges_insert(&all->ranges, &s->range);
}

void sc_span_free(struct sc_spans *all, struct sc_notes *notes, struct sc_span *s)
{
	if (all->found == &s->range)
		all->found = NULL;
	sc_ranges_remove(&all->ranges, &s->range);
	for (size_t i = 0; i < s->touches.count; i++)
		sc_note_put(notes, s->touches.items[i].note);
	sc_vector_fini(&s->touches);
	free(s);
}

void sc_span_cut(struct sc_spans *all, uint64_t at)
{
	struct sc_span *low = (struct sc_span *)sc_ranges_at(&all->ranges, at), *high;

	if (!low || low->range.start == at)
		return;
	high = sc_heap_xcalloc(1, sizeof(*high));
	high->range = (struct sc_range){.start = at, .end = low->range.end};
	low->range.end = at;
	for (size_t i = 0; i < low->touches.count; i++)
		sc_vector_push(&high->touches, sc_touch_get(&low->touches.items[i]));
	sc_ranges_insert(&all->ranges, &high->range);
}

void sc_spans_fini(struct sc_spans *all, struct sc_notes *notes)
{
	for (struct sc_range *r; (r = sc_ranges_last(&all->ranges));)
		sc_span_free(all, notes, (struct sc_span *)r);
}
