/* History: spans, strided shapes, whole touches, and the last of each lane. */
#include "analyzer/history.h"

#include <stdlib.h>
#include <string.h>
#include "base/heap.h"

struct sc_span {
	struct sc_range range; /* first */
	SC_VECTOR(struct sc_touch) touches;
};

static struct sc_span *span_of(struct sc_range *r)
{
	return (struct sc_span *)r;
}

static struct sc_touch hold(const struct sc_touch *t)
{
	sc_note_get(t->note);
	return *t;
}

static void free_span(struct sc_history *h, struct sc_notes *notes, struct sc_span *s)
{
	sc_ranges_remove(&h->spans, &s->range);
	for (size_t i = 0; i < s->touches.count; i++)
		sc_note_put(notes, s->touches.items[i].note);
	sc_vector_fini(&s->touches);
	free(s);
}

static void new_span(struct sc_history *h, uint64_t start, uint64_t end,
		     const struct sc_touch *touch)
{
	struct sc_span *s = sc_heap_xcalloc(1, sizeof(*s));

	s->range.start = start;
	s->range.end = end;
	sc_vector_push(&s->touches, hold(touch));
	sc_ranges_insert(&h->spans, &s->range);
}

/* Cuts the span that contains `at` in two, so that one begins there. */
static void cut(struct sc_history *h, uint64_t at)
{
	struct sc_range *r = sc_ranges_at(&h->spans, at);
	struct sc_span *low, *high;

	if (!r || r->start == at)
		return;
	low = span_of(r);
	high = sc_heap_xcalloc(1, sizeof(*high));
	high->range.start = at;
	high->range.end = r->end;
	r->end = at;
	for (size_t i = 0; i < low->touches.count; i++)
		sc_vector_push(&high->touches, hold(&low->touches.items[i]));
	sc_ranges_insert(&h->spans, &high->range);
}

/* The entry of an op that the list ends with or holds, or a new one. */
static void add_conflict(sc_conflicts *out, const struct sc_touch *earlier, uint64_t first,
			 uint64_t end, _Bool is_sure)
{
	for (size_t i = out->count; i-- > 0;) {
		struct sc_conflict *c = &out->items[i];

		if (c->earlier.note != earlier->note || c->earlier.node != earlier->node ||
		    c->earlier.mode != earlier->mode || c->earlier.known != earlier->known)
			continue;
		c->first = c->first < first ? c->first : first;
		c->end = c->end > end ? c->end : end;
		c->is_sure |= is_sure;
		return;
	}
	sc_vector_push(out, ((struct sc_conflict){hold(earlier), first, end, is_sure}));
}

void sc_conflicts_clear(sc_conflicts *list, struct sc_notes *notes)
{
	for (size_t i = 0; i < list->count; i++)
		sc_note_put(notes, list->items[i].earlier.note);
	sc_vector_clear(list);
}

static void check_shape(const struct sc_touch *earlier, const struct sc_access *a,
			const struct sc_touch *touch, const struct sc_access *b, sc_conflicts *out)
{
	uint64_t first, end;
	enum sc_overlap overlap;

	if (!sc_touch_conflicts(earlier, touch))
		return;
	overlap = sc_shape_overlap(a, b, &first, &end);
	if (overlap != SC_APART)
		add_conflict(out, earlier, first, end, overlap == SC_OVERLAPS);
}

static void check_spans(const struct sc_history *h, const struct sc_touch *touch,
			const struct sc_access *shape, sc_conflicts *out)
{
	uint64_t end = sc_shape_end(shape);
	struct sc_range *r = sc_ranges_from(&h->spans, shape->base);

	for (; r && r->start < end; r = sc_ranges_from(&h->spans, r->end)) {
		struct sc_access piece = sc_shape_linear(r->start, r->end - r->start, 0, 0);
		struct sc_span *s = span_of(r);

		for (size_t i = 0; i < s->touches.count; i++)
			check_shape(&s->touches.items[i], &piece, touch, shape, out);
	}
}

/* Other nodes of the launch at hand are not in `last` yet. */
static _Bool is_all_ordered(const struct sc_history *h, const struct sc_touch *touch)
{
	if (touch->note->is_replay)
		return 0;
	for (size_t i = 0; i < h->last.count; i++)
		if (sc_touch_unordered(&h->last.items[i], touch))
			return 0;
	return 1;
}

/* What the nodes of one launch did to any byte of the object. */
static void check_nodes(const struct sc_history *h, const struct sc_touch *launch,
			const struct sc_touch *touch, sc_conflicts *out,
			void (*add)(sc_conflicts *out, const struct sc_touch *t))
{
	for (struct sc_range *r = sc_ranges_from(&h->spans, 0); r;
	     r = sc_ranges_from(&h->spans, r->end)) {
		const struct sc_span *s = span_of(r);

		for (size_t i = 0; i < s->touches.count; i++)
			if (s->touches.items[i].note == launch->note &&
			    sc_touch_conflicts(&s->touches.items[i], touch))
				add(out, &s->touches.items[i]);
	}
	for (size_t i = 0; i < h->strided.count; i++) {
		const struct sc_touch *t = &h->strided.items[i].touch;

		if (t->note == launch->note && sc_touch_conflicts(t, touch))
			add(out, t);
	}
}

static void add_whole_conflict(sc_conflicts *out, const struct sc_touch *t)
{
	add_conflict(out, t, t->first, t->end, 0);
}

/* A kernel known by parameter may touch any byte: only the last op of each lane matters. Two such
 * kernels are compared only if they were given the same pointer (V-209). */
static void check_maybe(const struct sc_history *h, const struct sc_touch *touch, sc_conflicts *out)
{
	for (size_t i = 0; i < h->last.count; i++) {
		const struct sc_touch *t = &h->last.items[i];

		if (!sc_touch_conflicts(t, touch))
			continue;
		if (t->is_launch)
			check_nodes(h, t, touch, out, add_whole_conflict);
		else
			add_whole_conflict(out, t);
	}
	for (size_t i = 0; i < h->whole.count; i++) {
		const struct sc_touch *t = &h->whole.items[i];

		if (t->pointer == touch->pointer && sc_touch_conflicts(t, touch))
			add_conflict(out, t, t->first, t->end, 0);
	}
}

void sc_history_check(const struct sc_history *h, const struct sc_touch *touch,
		      const struct sc_access *shape, sc_conflicts *out)
{
	if (touch->known == SC_KNOWN_PARAMETER) {
		check_maybe(h, touch, out);
		return;
	}
	for (size_t i = 0; i < h->whole.count; i++) {
		struct sc_access all =
			sc_shape_linear(h->whole.items[i].first,
					h->whole.items[i].end - h->whole.items[i].first, 0, 0);

		check_shape(&h->whole.items[i], &all, touch, shape, out);
	}
	if (is_all_ordered(h, touch))
		return;
	check_spans(h, touch, shape, out);
	for (size_t i = 0; i < h->strided.count; i++)
		check_shape(&h->strided.items[i].touch, &h->strided.items[i].shape, touch, shape,
			    out);
}

/* Of several touches of one lane the surest, then the newest, stands for the lane. */
static void keep_best(sc_conflicts *out, const struct sc_touch *t)
{
	for (size_t i = 0; i < out->count; i++) {
		struct sc_conflict *c = &out->items[i];
		struct sc_note *n = c->earlier.note;

		if (n->when.lane != t->note->when.lane)
			continue;
		if (t->known < c->earlier.known ||
		    (t->known == c->earlier.known && t->note->sequence > n->sequence)) {
			/* The entry's own reference goes from one note to the other. */
			c->earlier = hold(t);
			c->first = t->first;
			c->end = t->end;
			n->refs--;
		}
		return;
	}
	sc_vector_push(out, ((struct sc_conflict){hold(t), t->first, t->end, 1}));
}

void sc_history_check_end(const struct sc_history *h, const struct sc_touch *end, sc_conflicts *out)
{
	for (size_t i = 0; i < h->last.count; i++) {
		const struct sc_touch *t = &h->last.items[i];

		if (!sc_touch_conflicts(t, end))
			continue;
		if (t->is_launch)
			check_nodes(h, t, end, out, keep_best);
		else
			keep_best(out, t);
	}
	for (size_t i = 0; i < h->whole.count; i++)
		if (sc_touch_conflicts(&h->whole.items[i], end))
			keep_best(out, &h->whole.items[i]);
}

static _Bool is_gone(const struct sc_past *past, const struct sc_touch *new,
		     const struct sc_touch *old)
{
	return sc_touch_replaces(new, old) || sc_order_is_past(past->order, &old->note->when);
}

/* Drops from an array of touches what the new one makes redundant. Returns the new count. */
static size_t drop_gone(const struct sc_past *past, struct sc_touch *items, size_t count,
			const struct sc_touch *new)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (is_gone(past, new, &items[i]))
			sc_note_put(past->notes, items[i].note);
		else
			items[kept++] = items[i];
	}
	return kept;
}

/* Spans of [first, end) lose what the touch replaces and get it; one span if nothing else stays. */
static void add_linear(struct sc_history *h, const struct sc_past *past,
		       const struct sc_touch *touch, uint64_t first, uint64_t end)
{
	uint64_t open = first; /* where the run of bytes begins that has only this touch */
	struct sc_range *r;

	r = sc_ranges_at(&h->spans, first);
	if (r && r->start == first && r->end == end) {
		struct sc_span *s = span_of(r);

		s->touches.count = drop_gone(past, s->touches.items, s->touches.count, touch);
		sc_vector_push(&s->touches, hold(touch));
		return;
	}
	cut(h, first);
	cut(h, end);
	for (r = sc_ranges_from(&h->spans, first); r && r->start < end;) {
		struct sc_span *s = span_of(r);
		uint64_t next = r->end;

		s->touches.count = drop_gone(past, s->touches.items, s->touches.count, touch);
		if (!s->touches.count) {
			free_span(h, past->notes, s);
		} else {
			if (open < r->start)
				new_span(h, open, r->start, touch);
			sc_vector_push(&s->touches, hold(touch));
			open = next;
		}
		r = sc_ranges_from(&h->spans, next);
	}
	if (open < end)
		new_span(h, open, end, touch);
}

static _Bool is_same_shape(const struct sc_access *a, const struct sc_access *b)
{
	return a->base == b->base && a->width == b->width && a->pitch == b->pitch &&
	       a->rows == b->rows && a->slice_pitch == b->slice_pitch && a->slices == b->slices;
}

static void drop_strided(struct sc_history *h, const struct sc_past *past,
			 const struct sc_touch *touch, const struct sc_access *shape)
{
	uint64_t end = sc_shape_end(shape);
	size_t kept = 0;

	for (size_t i = 0; i < h->strided.count; i++) {
		struct sc_strided *s = &h->strided.items[i];
		_Bool is_inside = is_same_shape(shape, &s->shape) ||
				  (sc_shape_is_linear(shape) && shape->base <= s->touch.first &&
				   s->touch.end <= end);

		if (sc_order_is_past(past->order, &s->touch.note->when) ||
		    (is_inside && sc_touch_replaces(touch, &s->touch)))
			sc_note_put(past->notes, s->touch.note);
		else
			h->strided.items[kept++] = *s;
	}
	h->strided.count = kept;
}

#define STRIDED_MAX 4096

/* Different shapes without a wait between them pile up; the oldest half makes room. */
static void add_strided(struct sc_history *h, const struct sc_past *past,
			const struct sc_touch *touch, const struct sc_access *shape)
{
	if (h->strided.count == STRIDED_MAX) {
		size_t half = STRIDED_MAX / 2;

		for (size_t i = 0; i < half; i++)
			sc_note_put(past->notes, h->strided.items[i].touch.note);
		memmove(h->strided.items, h->strided.items + half,
			half * sizeof(*h->strided.items));
		h->strided.count = half;
	}
	sc_vector_push(&h->strided, ((struct sc_strided){hold(touch), *shape}));
}

/* The touch that stands for its lane, mode and certainty. */
static void add_last(struct sc_history *h, const struct sc_past *past, const struct sc_touch *touch)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->last.count; i++) {
		struct sc_touch *t = &h->last.items[i];
		const struct sc_note *n = t->note;

		if ((n->when.lane == touch->note->when.lane && sc_touch_replaces(touch, t)) ||
		    sc_order_is_past(past->order, &n->when))
			sc_note_put(past->notes, t->note);
		else
			h->last.items[kept++] = *t;
	}
	h->last.count = kept;
	sc_vector_push(&h->last, hold(touch));
}

#define WHOLE_MAX 256

/* Kernels known by parameter: the last of each lane and pointer. Far too many are not kept, they
 * can only become possible findings. */
static void add_whole(struct sc_history *h, const struct sc_past *past,
		      const struct sc_touch *touch)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->whole.count; i++) {
		struct sc_touch *t = &h->whole.items[i];

		if ((t->pointer == touch->pointer && sc_touch_replaces(touch, t)) ||
		    sc_order_is_past(past->order, &t->note->when))
			sc_note_put(past->notes, t->note);
		else
			h->whole.items[kept++] = *t;
	}
	h->whole.count = kept;
	if (kept < WHOLE_MAX)
		sc_vector_push(&h->whole, hold(touch));
}

void sc_history_changed(struct sc_history *h, uint64_t first, uint64_t end)
{
	h->recent[h->changes % SC_HISTORY_RECENT].first = first;
	h->recent[h->changes++ % SC_HISTORY_RECENT].end = end;
}

void sc_history_add_launch(struct sc_history *h, const struct sc_past *past,
			   const struct sc_touch *touch)
{
	add_last(h, past, touch);
}

void sc_history_add(struct sc_history *h, const struct sc_past *past, const struct sc_touch *touch,
		    const struct sc_access *shape)
{
	sc_history_changed(h, touch->first, touch->end);
	if (touch->known == SC_KNOWN_PARAMETER) {
		add_whole(h, past, touch);
		return;
	}
	if (!touch->note->is_replay)
		add_last(h, past, touch);
	drop_strided(h, past, touch, shape);
	if (sc_shape_is_linear(shape))
		add_linear(h, past, touch, shape->base, shape->base + shape->width);
	else
		add_strided(h, past, touch, shape);
}

void sc_history_erase(struct sc_history *h, const struct sc_past *past, uint64_t first,
		      uint64_t end)
{
	struct sc_range *r;
	size_t kept = 0;

	sc_history_changed(h, first, end);
	cut(h, first);
	cut(h, end);
	while ((r = sc_ranges_from(&h->spans, first)) && r->start < end)
		free_span(h, past->notes, span_of(r));
	for (size_t i = 0; i < h->strided.count; i++) {
		struct sc_strided *s = &h->strided.items[i];

		if (first <= s->touch.first && s->touch.end <= end)
			sc_note_put(past->notes, s->touch.note);
		else
			h->strided.items[kept++] = *s;
	}
	h->strided.count = kept;
}

void sc_history_fini(struct sc_history *h, struct sc_notes *notes)
{
	while (h->spans.root)
		free_span(h, notes, span_of(h->spans.root));
	for (size_t i = 0; i < h->strided.count; i++)
		sc_note_put(notes, h->strided.items[i].touch.note);
	for (size_t i = 0; i < h->whole.count; i++)
		sc_note_put(notes, h->whole.items[i].note);
	for (size_t i = 0; i < h->last.count; i++)
		sc_note_put(notes, h->last.items[i].note);
	sc_vector_fini(&h->strided);
	sc_vector_fini(&h->whole);
	sc_vector_fini(&h->last);
}
