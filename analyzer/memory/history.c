/* History: spans, strided shapes, whole touches, and the last of each lane. */
#include "analyzer/memory/history.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"

/* The entry of an op that the list ends with or holds, or a new one. */
static void add_conflict(sc_conflicts *out, const struct sc_touch *earlier, uint64_t first,
			 uint64_t end, bool is_sure)
{
	for (size_t i = out->count; i-- > 0;) {
		struct sc_conflict *c = &out->items[i];

		if (!sc_note_is_same(c->earlier.note, earlier->note) ||
		    c->earlier.node != earlier->node || c->earlier.mode != earlier->mode ||
		    c->earlier.known != earlier->known)
			continue;
		c->first = c->first < first ? c->first : first;
		c->end = c->end > end ? c->end : end;
		c->is_sure |= is_sure;
		return;
	}
	sc_vector_push(out, ((struct sc_conflict){sc_touch_get(earlier), first, end, is_sure}));
}

void sc_conflicts_clear(sc_conflicts *list, struct sc_notes *notes)
{
	for (size_t i = 0; i < list->count; i++)
		sc_note_put(notes, list->items[i].earlier.note);
	sc_vector_clear(list);
}

/* Makes sure that the notes of all conflicts that were found have their ops. */
static void tell(const sc_conflicts *found, const struct sc_past *past)
{
	for (size_t i = 0; i < found->count; i++)
		sc_note_read_op(past->notes, found->items[i].earlier.note);
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

/* The usual case: the same bytes as before. */
static void check_exact(const struct sc_span *s, const struct sc_touch *touch, sc_conflicts *out)
{
	const struct sc_touch *t = s->touches;

	for (uint32_t i = 0; i < s->count; i++)
		if (sc_touch_conflicts(&t[i], touch))
			add_conflict(out, &t[i], touch->first, touch->end, 1);
}

static void check_spans(const struct sc_history *h, const struct sc_touch *touch,
			const struct sc_access *shape, sc_conflicts *out)
{
	uint64_t end = sc_shape_end(shape);
	const struct sc_span *s = sc_span_from(&h->spans, shape->base);

	for (; s && s->range.start < end; s = sc_span_from(&h->spans, s->range.end)) {
		uint64_t start = s->range.start;
		struct sc_access piece = sc_shape_linear(start, s->range.end - start, 0, 0);

		for (uint32_t i = 0; i < s->count; i++)
			check_shape(&s->touches[i], &piece, touch, shape, out);
	}
}

#define FEW_SPANS 16 /* looked at one by one when needed */

static int by_sequence(const void *x, const void *y)
{
	const struct sc_note *a = (*(const struct sc_touch *const *)x)->note;
	const struct sc_note *b = (*(const struct sc_touch *const *)y)->note;

	return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

/* From here on the last touches are kept; those so far are in the spans. */
static void want_last(struct sc_history *h, const struct sc_past *past)
{
	SC_VECTOR(const struct sc_touch *) all = {0};
	const struct sc_span *s;

	if (h->has_last)
		return;
	h->has_last = 1;
	sc_spans_share(&h->spans, past->notes);
	for (s = sc_span_from(&h->spans, 0); s; s = sc_span_from(&h->spans, s->range.end))
		for (uint32_t i = 0; i < s->count; i++)
			sc_vector_push(&all, &s->touches[i]);
	if (all.count)
		qsort(all.items, all.count, sizeof(*all.items), by_sequence);
	for (size_t i = 0; i < all.count; i++)
		sc_last_add(&h->last, past, all.items[i]);
	sc_vector_fini(&all);
}

/* Other nodes of the current launch are not in `last` yet. */
static bool is_all_ordered(const struct sc_history *h, const struct sc_touch *touch)
{
	return h->has_last && !touch->note->is_replay && sc_last_is_ordered(&h->last, touch);
}

/* What the nodes of one launch did to any byte of the object. */
static void check_nodes(const struct sc_history *h, const struct sc_touch *launch,
			const struct sc_touch *touch, sc_conflicts *out,
			void (*add)(sc_conflicts *out, const struct sc_touch *t))
{
	const struct sc_span *s;

	for (s = sc_span_from(&h->spans, 0); s; s = sc_span_from(&h->spans, s->range.end)) {
		const struct sc_touch *t = s->touches;

		for (uint32_t i = 0; i < s->count; i++)
			if (t[i].note == launch->note && sc_touch_conflicts(&t[i], touch))
				add(out, &t[i]);
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
 * kernels are compared only if they were given the same pointer (SC-209), or strictly. */
static void check_maybe(struct sc_history *h, const struct sc_past *past,
			const struct sc_touch *touch, uint64_t parameter, sc_conflicts *out)
{
	want_last(h, past);
	for (size_t i = 0; i < h->last.touches.count; i++) {
		const struct sc_touch *t = &h->last.touches.items[i];

		if (!sc_touch_conflicts(t, touch))
			continue;
		if (t->is_launch)
			check_nodes(h, t, touch, out, add_whole_conflict);
		else
			add_whole_conflict(out, t);
	}
	for (size_t i = 0; i < h->whole.count; i++) {
		const struct sc_touch *t = &h->whole.items[i].touch;

		if (!sc_touch_conflicts(t, touch))
			continue;
		if (h->whole.items[i].parameter == parameter || past->order->profile == SC_STRICT)
			add_whole_conflict(out, t);
		else
			sc_views_count(past->notes, t, touch);
	}
}

static void check(struct sc_history *h, const struct sc_past *past, const struct sc_touch *touch,
		  const struct sc_access *shape, sc_conflicts *out)
{
	bool is_plain = !h->strided.count && sc_shape_is_linear(shape);
	const struct sc_span *exact =
		is_plain ? sc_span_exact(&h->spans, past->notes, touch->first, touch->end) : NULL;

	if (touch->known == SC_KNOWN_PARAMETER) {
		check_maybe(h, past, touch, sc_shape_parameter(shape), out);
		return;
	}
	for (size_t i = 0; i < h->whole.count; i++) {
		const struct sc_touch *t = &h->whole.items[i].touch;
		struct sc_access all = sc_shape_linear(t->first, t->end - t->first, 0, 0);

		check_shape(t, &all, touch, shape, out);
	}
	if (exact) {
		check_exact(exact, touch, out);
		return;
	}
	if (is_all_ordered(h, touch))
		return;
	check_spans(h, touch, shape, out);
	for (size_t i = 0; i < h->strided.count; i++)
		check_shape(&h->strided.items[i].touch, &h->strided.items[i].shape, touch, shape,
			    out);
}

void sc_history_check(struct sc_history *h, const struct sc_past *past,
		      const struct sc_touch *touch, const struct sc_access *shape,
		      sc_conflicts *out)
{
	sc_spans_part(&h->spans, past->notes);
	check(h, past, touch, shape, out);
	tell(out, past);
}

/* Keeps one touch of each lane: the surest, then the newest. */
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
			c->earlier = sc_touch_get(t);
			c->first = t->first;
			c->end = t->end;
			n->refs--;
		}
		return;
	}
	sc_vector_push(out, ((struct sc_conflict){sc_touch_get(t), t->first, t->end, 1}));
}

void sc_history_check_end(struct sc_history *h, const struct sc_past *past,
			  const struct sc_touch *end, sc_conflicts *out)
{
	sc_spans_part(&h->spans, past->notes);
	want_last(h, past);
	for (size_t i = 0; i < h->last.touches.count; i++) {
		const struct sc_touch *t = &h->last.touches.items[i];

		if (!sc_touch_conflicts(t, end))
			continue;
		if (t->is_launch)
			check_nodes(h, t, end, out, keep_best);
		else
			keep_best(out, t);
	}
	for (size_t i = 0; i < h->whole.count; i++)
		if (sc_touch_conflicts(&h->whole.items[i].touch, end))
			keep_best(out, &h->whole.items[i].touch);
	tell(out, past);
}

static bool is_gone(const struct sc_past *past, const struct sc_touch *new,
		    const struct sc_touch *old)
{
	return sc_past_replaces(past, new, old) || sc_past_is(past, old);
}

/* Drops from a span what the new touch makes redundant. */
static void drop_gone(const struct sc_past *past, struct sc_span *s, const struct sc_touch *new)
{
	struct sc_touch *t = s->touches;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		if (is_gone(past, new, &t[i]))
			sc_note_put(past->notes, t[i].note);
		else
			t[kept++] = t[i];
	}
	s->count = kept;
}

/* Spans of [first, end) lose what the touch replaces and get it; one span if nothing else stays. */
static void add_linear(struct sc_history *h, const struct sc_past *past,
		       const struct sc_touch *touch, uint64_t first, uint64_t end)
{
	uint64_t open = first; /* where the run of bytes begins that has only this touch */
	struct sc_span *exact = sc_span_exact(&h->spans, past->notes, first, end), *s;

	if (exact) {
		drop_gone(past, exact, touch);
		sc_span_push(exact, past->notes, touch);
		return;
	}
	sc_span_cut(&h->spans, past->notes, first);
	sc_span_cut(&h->spans, past->notes, end);
	for (s = sc_span_from(&h->spans, first); s && s->range.start < end;) {
		uint64_t next = s->range.end;

		drop_gone(past, s, touch);
		if (!s->count) {
			sc_span_free(past->notes, s);
		} else {
			if (open < s->range.start)
				sc_span_new(&h->spans, past->notes, open, s->range.start, touch);
			sc_span_push(s, past->notes, touch);
			open = next;
		}
		s = sc_span_from(&h->spans, next);
	}
	if (open < end)
		sc_span_new(&h->spans, past->notes, open, end, touch);
}

static bool is_same_shape(const struct sc_access *a, const struct sc_access *b)
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
		bool is_inside = is_same_shape(shape, &s->shape) ||
				 (sc_shape_is_linear(shape) && shape->base <= s->touch.first &&
				  s->touch.end <= end);

		if (sc_past_is(past, &s->touch) ||
		    (is_inside && sc_past_replaces(past, touch, &s->touch)))
			sc_note_put(past->notes, s->touch.note);
		else
			h->strided.items[kept++] = *s;
	}
	h->strided.count = kept;
}

#define STRIDED_MAX 4096

/* Different shapes without a wait between them pile up; the oldest half makes room, and counts. */
static void add_strided(struct sc_history *h, const struct sc_past *past,
			const struct sc_touch *touch, const struct sc_access *shape)
{
	if (h->strided.count == STRIDED_MAX) {
		size_t half = STRIDED_MAX / 2;

		for (size_t i = 0; i < half; i++)
			sc_note_put(past->notes, h->strided.items[i].touch.note);
		past->notes->forgotten += half;
		memmove(h->strided.items, h->strided.items + half,
			half * sizeof(*h->strided.items));
		h->strided.count = half;
	}
	sc_spans_share(&h->spans, past->notes);
	sc_vector_push(&h->strided, ((struct sc_strided){sc_touch_get(touch), *shape}));
}

#define WHOLE_MAX 256

/* Kernels known by parameter: the last of each lane and pointer. Far too many are not kept, they
 * can only become possible findings. */
static void add_whole(struct sc_history *h, const struct sc_past *past,
		      const struct sc_touch *touch, uint64_t parameter)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->whole.count; i++) {
		struct sc_whole *w = &h->whole.items[i];

		if ((w->parameter == parameter && sc_past_replaces(past, touch, &w->touch)) ||
		    sc_past_is(past, &w->touch))
			sc_note_put(past->notes, w->touch.note);
		else
			h->whole.items[kept++] = *w;
	}
	h->whole.count = kept;
	sc_spans_share(&h->spans, past->notes);
	if (kept < WHOLE_MAX)
		sc_vector_push(&h->whole, ((struct sc_whole){sc_touch_get(touch), parameter}));
	else
		past->notes->forgotten_possible++;
}

void sc_history_add_launch(struct sc_history *h, const struct sc_past *past,
			   const struct sc_touch *touch)
{
	sc_spans_part(&h->spans, past->notes);
	want_last(h, past);
	sc_last_add(&h->last, past, touch);
}

void sc_history_add(struct sc_history *h, const struct sc_past *past, const struct sc_touch *touch,
		    const struct sc_access *shape)
{
	sc_spans_part(&h->spans, past->notes);
	sc_history_changed(h, touch->first, touch->end);
	if (touch->known == SC_KNOWN_PARAMETER) {
		add_whole(h, past, touch, sc_shape_parameter(shape));
		return;
	}
	if (touch->traits & SC_TRAIT_GRAPH || !sc_shape_is_linear(shape) ||
	    h->spans.ranges.count > FEW_SPANS)
		want_last(h, past);
	if (h->has_last && !touch->note->is_replay)
		sc_last_add(&h->last, past, touch);
	drop_strided(h, past, touch, shape);
	if (sc_shape_is_linear(shape))
		add_linear(h, past, touch, shape->base, shape->base + shape->width);
	else
		add_strided(h, past, touch, shape);
}

/* The lane did the same before, and the span has no other touch: the lane's touch moves on. */
static inline bool move_on(struct sc_span *s, const struct sc_past *past,
			   const struct sc_touch *touch)
{
	struct sc_touch *t = s->touches;
	struct sc_note *old = t->note;

	if (s->count != 1 || past->order->callbacks.oldest || t->lane != touch->lane ||
	    t->lane == SC_LANE_HOST || t->position >= touch->position || t->mode != touch->mode ||
	    t->known != touch->known || t->traits != touch->traits || t->traits & SC_TRAIT_GRAPH)
		return 0;
	*t = sc_touch_get(touch);
	sc_note_put(past->notes, old);
	return 1;
}

/* The usual case: the same bytes as before, at most other plain touches on them. */
static void use_exact(struct sc_span *s, const struct sc_past *past, const struct sc_touch *touch,
		      sc_conflicts *out)
{
	bool has_pending = past->order->callbacks.oldest != NULL;
	struct sc_touch *touches = s->touches;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		struct sc_touch *t = &touches[i];
		bool is_before = sc_touch_before(t, touch), is_over = 0;

		if (!is_before && sc_touch_conflicts(t, touch))
			add_conflict(out, t, touch->first, touch->end, 1);
		if (has_pending ? sc_past_replaces(past, touch, t)
				: is_before && sc_touch_outdoes(touch, t))
			is_over = 1;
		if (is_over || sc_past_is(past, t))
			sc_note_put(past->notes, t->note);
		else if (&touches[kept++] != t)
			touches[kept - 1] = *t;
	}
	s->count = kept;
	sc_span_push(s, past->notes, touch);
	tell(out, past);
}

void sc_history_use(struct sc_history *h, const struct sc_past *past, const struct sc_touch *touch,
		    const struct sc_access *shape, sc_conflicts *out)
{
	bool is_plain = !h->whole.count && !h->strided.count && sc_shape_is_linear(shape) &&
			touch->known != SC_KNOWN_PARAMETER && !(touch->traits & SC_TRAIT_GRAPH);
	struct sc_span *exact =
		is_plain ? sc_span_exact(&h->spans, past->notes, touch->first, touch->end) : NULL;

	sc_spans_part(&h->spans, past->notes);
	if (!exact) {
		sc_history_check(h, past, touch, shape, out);
		sc_history_add(h, past, touch, shape);
		return;
	}
	sc_history_changed(h, touch->first, touch->end);
	if (h->has_last)
		sc_last_add(&h->last, past, touch);
	if (!move_on(exact, past, touch))
		use_exact(exact, past, touch, out);
}

void sc_history_erase(struct sc_history *h, const struct sc_past *past, uint64_t first,
		      uint64_t end)
{
	struct sc_span *s;
	size_t kept = 0;

	sc_spans_part(&h->spans, past->notes);
	sc_history_changed(h, first, end);
	sc_span_cut(&h->spans, past->notes, first);
	sc_span_cut(&h->spans, past->notes, end);
	while ((s = sc_span_from(&h->spans, first)) && s->range.start < end)
		sc_span_free(past->notes, s);
	for (size_t i = 0; i < h->strided.count; i++) {
		struct sc_strided *d = &h->strided.items[i];

		if (first <= d->touch.first && d->touch.end <= end)
			sc_note_put(past->notes, d->touch.note);
		else
			h->strided.items[kept++] = *d;
	}
	h->strided.count = kept;
}

void sc_history_fini(struct sc_history *h, struct sc_notes *notes)
{
	sc_spans_fini(&h->spans, notes);
	for (size_t i = 0; i < h->strided.count; i++)
		sc_note_put(notes, h->strided.items[i].touch.note);
	for (size_t i = 0; i < h->whole.count; i++)
		sc_note_put(notes, h->whole.items[i].touch.note);
	sc_last_fini(&h->last, notes);
	sc_vector_fini(&h->strided);
	sc_vector_fini(&h->whole);
}
