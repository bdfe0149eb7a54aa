/* Spans: made, cut and freed. */
#include "analyzer/memory/span.h"

#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "base/assert.h"

struct sc_span *sc_span_search(struct sc_ranges *spans, struct sc_notes *notes, uint64_t first,
			       uint64_t end)
{
	struct sc_span **pair = sc_span_index_pair(&notes->spans, first, end);
	struct sc_span *s = (struct sc_span *)sc_ranges_at(spans, first);

	if (!sc_span_is(s, first, end))
		return NULL;
	pair[1] = pair[0];
	pair[0] = s;
	return s;
}

static struct sc_span *add(struct sc_ranges *spans, struct sc_notes *notes, uint64_t first,
			   uint64_t end)
{
	struct sc_span *s = sc_slab_take(&notes->spans.slab, sizeof(*s));

	s->range = (struct sc_range){.start = first, .end = end};
	s->owner = spans;
	s->count = 0;
	s->room = SC_SPAN_INSIDE;
	sc_ranges_insert(spans, &s->range);
	return s;
}

void sc_span_new(struct sc_ranges *spans, struct sc_notes *notes, uint64_t first, uint64_t end,
		 const struct sc_touch *touch)
{
	sc_assert(first < end);
	sc_span_push(add(spans, notes, first, end), touch);
}

void sc_span_free(struct sc_notes *notes, struct sc_span *s)
{
	const struct sc_touch *touches = sc_span_touches(s);

	sc_assert(s->owner); /* in use */
	sc_ranges_remove(s->owner, &s->range);
	for (uint32_t i = 0; i < s->count; i++)
		sc_note_put(notes, touches[i].note);
	if (sc_span_has_many(s))
		free(s->outside.others);
	if (touches != s->inside)
		free(s->outside.touches);
	s->owner = NULL;
	sc_slab_give(&notes->spans.slab, s);
}

static void list_others(struct sc_span *s)
{
	s->outside.other_count = 0;
	for (uint32_t i = 0; i < s->count; i++)
		if (!sc_touch_is_plain_read(&s->outside.touches[i]))
			s->outside.others[s->outside.other_count++] = i;
}

void sc_span_set_compared(struct sc_span *s)
{
	sc_assert(sc_span_has_many(s));
	list_others(s);
	s->outside.compared = s->count;
	s->outside.most = s->count < SC_SPAN_MANY / 2 ? SC_SPAN_MANY : 2 * s->count;
}

void sc_span_grow(struct sc_span *s)
{
	struct sc_span_outside old = {0};
	struct sc_touch *new;

	sc_assert(s->owner && s->count <= s->room);
	if (s->room > SC_SPAN_INSIDE)
		old = s->outside;
	new = sc_heap_xrealloc(old.touches, 2 * (size_t)s->room, sizeof(*new));
	if (!old.touches)
		memcpy(new, s->inside, sizeof(s->inside));
	s->outside = old;
	s->outside.touches = new;
	s->room *= 2;
	if (sc_span_has_many(s))
		s->outside.others = sc_heap_xrealloc(old.others, s->room, sizeof(*old.others));
}

void sc_span_cut(struct sc_ranges *spans, struct sc_notes *notes, uint64_t at)
{
	struct sc_span *low = (struct sc_span *)sc_ranges_at(spans, at), *high;
	uint64_t end;

	if (!low || low->range.start == at)
		return;
	end = low->range.end;
	low->range.end = at;
	high = add(spans, notes, at, end);
	while (high->room < low->room)
		sc_span_grow(high);
	for (uint32_t i = 0; i < low->count; i++)
		sc_span_push(high, &sc_span_touches(low)[i]);
	if (sc_span_has_many(high)) {
		list_others(high);
		high->outside.compared = low->outside.compared;
		high->outside.most = low->outside.most;
	}
}

void sc_spans_fini(struct sc_ranges *spans, struct sc_notes *notes)
{
	for (struct sc_range *r; (r = sc_ranges_last(spans));)
		sc_span_free(notes, (struct sc_span *)r);
}
