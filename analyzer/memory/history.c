/* History: spans, strided shapes, whole touches, and the last of each lane. */
#include "analyzer/memory/history.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/assert.h"
#include "base/heap.h"

/* All but the spans; of most objects there is nothing. */
static const struct sc_history_extra *extra_of(const struct sc_history *h)
{
	static const struct sc_history_extra none;

	return h->extra ? h->extra : &none;
}

static struct sc_history_extra *want_extra(struct sc_history *h)
{
	if (!h->extra)
		h->extra = sc_heap_xcalloc(1, sizeof(*h->extra));
	return h->extra;
}

void sc_history_watch(struct sc_history *h)
{
	want_extra(h)->is_watched = 1;
}

void sc_history_note_change(struct sc_history_extra *b, uint64_t first, uint64_t end)
{
	b->recent[b->changes % SC_HISTORY_RECENT].first = first;
	b->recent[b->changes++ % SC_HISTORY_RECENT].end = end;
}

bool sc_history_is_changed(const struct sc_history *h, uint64_t seen, uint64_t first, uint64_t end)
{
	const struct sc_history_extra *b = extra_of(h);
	uint64_t news = b->changes - seen;

	sc_assert(first < end);
	if (news > SC_HISTORY_RECENT)
		return 1;
	for (uint64_t i = 0; i < news; i++) {
		uint64_t at = (b->changes - 1 - i) % SC_HISTORY_RECENT;

		if (b->recent[at].first < end && first < b->recent[at].end)
			return 1;
	}
	return 0;
}

/* Conflicts may be reported, so the notes of all that were found get their ops. */
static void read_ops(const sc_conflicts *found, const struct sc_past *past)
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
		sc_conflicts_add(out, earlier, first, end, overlap == SC_OVERLAPS);
}

/* The usual case: the span of exactly the bytes that were used before. NULL: there is none, or not
 * only the span has to be looked at. */
static inline struct sc_span *find_exact(struct sc_history *h, const struct sc_past *past,
					 const struct sc_access *shape, struct sc_span *hint)
{
	const struct sc_history_extra *b = h->extra;

	if (!sc_shape_is_linear(shape) || (b && b->strided.count))
		return NULL;
	if (sc_span_is(hint, shape->base, shape->base + shape->width) && hint->owner == &h->spans)
		return hint;
	return sc_span_exact(&h->spans, past->notes, shape->base, shape->base + shape->width);
}

static void check_few(const struct sc_span *s, const struct sc_touch *touch, sc_conflicts *out)
{
	const struct sc_touch *t = sc_span_touches(s);

	for (uint32_t i = 0; i < s->count; i++)
		if (sc_touch_conflicts(&t[i], touch))
			sc_conflicts_add(out, &t[i], touch->first, touch->end, 1);
}

static void check_spans(const struct sc_history *h, const struct sc_past *past,
			const struct sc_touch *touch, const struct sc_access *shape,
			sc_conflicts *out)
{
	uint64_t end = sc_shape_end(shape);
	struct sc_span *s = sc_span_from(&h->spans, shape->base);

	for (; s && s->range.start < end; s = sc_span_from(&h->spans, s->range.end)) {
		uint64_t start = s->range.start;
		struct sc_access piece = sc_shape_linear(start, s->range.end - start, 0, 0);
		struct sc_rivals r = sc_readers_rivals(past, s, touch);

		for (uint32_t i = 0; i < r.count; i++)
			check_shape(sc_rivals_at(&r, i), &piece, touch, shape, out);
	}
}

static void check_exact(struct sc_history *h, const struct sc_past *past, const struct sc_span *s,
			const struct sc_touch *touch, const struct sc_access *shape,
			sc_conflicts *out)
{
	if (sc_span_has_many(s))
		check_spans(h, past, touch, shape, out);
	else
		check_few(s, touch, out);
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
	struct sc_history_extra *b = want_extra(h);
	struct sc_span *s;

	if (b->has_last)
		return;
	b->has_last = 1;
	for (s = sc_span_from(&h->spans, 0); s; s = sc_span_from(&h->spans, s->range.end)) {
		sc_readers_settle(past, s);
		for (uint32_t i = 0; i < s->count; i++)
			sc_vector_push(&all, &sc_span_touches(s)[i]);
	}
	if (all.count)
		qsort(all.items, all.count, sizeof(*all.items), by_sequence);
	for (size_t i = 0; i < all.count; i++)
		sc_last_add(&b->last, past, all.items[i]);
	sc_vector_fini(&all);
}

/* Other nodes of the current launch are not in `last` yet. */
static bool is_all_ordered(const struct sc_history *h, const struct sc_touch *touch)
{
	const struct sc_history_extra *b = extra_of(h);

	return b->has_last && !touch->note->is_replay && sc_last_is_ordered(&b->last, touch);
}

/* What the nodes of one launch did to any byte of the object. */
static void check_nodes(const struct sc_history *h, const struct sc_touch *launch,
			const struct sc_touch *touch, sc_conflicts *out,
			void (*add)(sc_conflicts *out, const struct sc_touch *t))
{
	const struct sc_history_extra *b = extra_of(h);
	const struct sc_span *s;

	for (s = sc_span_from(&h->spans, 0); s; s = sc_span_from(&h->spans, s->range.end)) {
		const struct sc_touch *t = sc_span_touches(s);

		for (uint32_t i = 0; i < s->count; i++)
			if (t[i].note == launch->note && sc_touch_conflicts(&t[i], touch))
				add(out, &t[i]);
	}
	for (size_t i = 0; i < b->strided.count; i++) {
		const struct sc_touch *t = &b->strided.items[i].touch;

		if (t->note == launch->note && sc_touch_conflicts(t, touch))
			add(out, t);
	}
}

static void add_whole_conflict(sc_conflicts *out, const struct sc_touch *t)
{
	sc_conflicts_add(out, t, t->first, t->end, 0);
}

static void count_uncompared(struct sc_notes *notes, const struct sc_touch *earlier,
			     const struct sc_touch *later)
{
	if (notes->uncompared_pairs++)
		return;
	sc_note_read_op(notes, earlier->note);
	sc_note_read_op(notes, later->note);
	notes->uncompared_kernels[0] = sc_touch_op(earlier)->object;
	notes->uncompared_kernels[1] = sc_touch_op(later)->object;
}

/* Allocators divide large blocks, and each kernel usually has the part that begins where its
 * pointer points and ends where another kernel's does. The last such pointer at or before `first`;
 * 0: none. */
static uint64_t last_pointer(const struct sc_history_extra *b, uint64_t first)
{
	uint64_t last = 0;

	for (const struct sc_whole *w = sc_wholes_first(&b->whole); w;
	     w = sc_wholes_next(&b->whole, w))
		if (w->parameter <= first && w->parameter > last)
			last = w->parameter;
	return last;
}

/* Whether bytes that end at `end`, with `last` the last pointer at or before their beginning, lie
 * in another part than the one of a kernel that was given `parameter`. */
static bool is_other_part(const struct sc_past *past, uint64_t parameter, uint64_t last,
			  uint64_t end)
{
	return past->order->profile != SC_STRICT && (parameter >= end || parameter < last);
}

/* What touched the byte that a pointer points to, of the bytes of which more is known. */
static void check_pointed(struct sc_history *h, const struct sc_past *past,
			  const struct sc_touch *touch, uint64_t parameter, sc_conflicts *out)
{
	const struct sc_history_extra *b = h->extra;
	struct sc_span *s = sc_span_from(&h->spans, parameter);
	struct sc_rivals r;

	if (s && s->range.start <= parameter) {
		r = sc_readers_rivals(past, s, touch);
		for (uint32_t i = 0; i < r.count; i++)
			if (sc_touch_conflicts(sc_rivals_at(&r, i), touch))
				add_whole_conflict(out, sc_rivals_at(&r, i));
	}
	for (size_t i = 0; i < b->strided.count; i++) {
		const struct sc_touch *t = &b->strided.items[i].touch;

		if (t->first <= parameter && parameter < t->end && sc_touch_conflicts(t, touch))
			add_whole_conflict(out, t);
	}
}

/* Two kernels known by parameter are compared only if they were given the same pointer (SC-209), or
 * strictly. */
static void check_wholes(const struct sc_history_extra *b, const struct sc_past *past,
			 const struct sc_touch *touch, uint64_t parameter, sc_conflicts *out)
{
	if (sc_last_is_ordered(&b->whole.ends, touch))
		return;
	for (const struct sc_whole *w = sc_wholes_first(&b->whole); w;
	     w = sc_wholes_next(&b->whole, w)) {
		const struct sc_touch *t = &w->touch;
		uint64_t first = t->first > touch->first ? t->first : touch->first;
		uint64_t end = t->end < touch->end ? t->end : touch->end;

		if (first >= end || !sc_touch_conflicts(t, touch))
			continue;
		if (w->parameter == parameter || past->order->profile == SC_STRICT)
			sc_conflicts_add(out, t, first, end, 0);
		else
			count_uncompared(past->notes, t, touch);
	}
}

/* The nodes of a launch; true if some are in other parts. */
static bool check_maybe_nodes(const struct sc_history *h, const struct sc_past *past,
			      const struct sc_touch *launch, const struct sc_touch *touch,
			      uint64_t parameter, sc_conflicts *out)
{
	sc_conflicts nodes = {0};
	bool has_others = 0;

	check_nodes(h, launch, touch, &nodes, add_whole_conflict);
	for (size_t i = 0; i < nodes.count; i++) {
		const struct sc_touch *t = &nodes.items[i].earlier;

		if (is_other_part(past, parameter, last_pointer(extra_of(h), t->first), t->end)) {
			past->notes->uncompared_parts++;
			has_others = 1;
		} else {
			add_whole_conflict(out, t);
		}
	}
	sc_conflicts_clear(&nodes, past->notes);
	sc_vector_fini(&nodes);
	return has_others;
}

/* A kernel known by parameter may touch any byte: only the last op of each lane matters. */
static void check_maybe(struct sc_history *h, const struct sc_past *past,
			const struct sc_touch *touch, uint64_t parameter, sc_conflicts *out)
{
	const struct sc_history_extra *b;
	bool has_others = 0;

	want_last(h, past);
	b = h->extra;
	for (size_t i = 0; i < b->last.touches.count; i++) {
		const struct sc_touch *t = &b->last.touches.items[i];

		if (!sc_touch_conflicts(t, touch))
			continue;
		if (t->is_launch) {
			has_others |= check_maybe_nodes(h, past, t, touch, parameter, out);
		} else if (is_other_part(past, parameter, last_pointer(b, t->first), t->end)) {
			past->notes->uncompared_parts++;
			has_others = 1;
		} else {
			add_whole_conflict(out, t);
		}
	}
	if (has_others)
		check_pointed(h, past, touch, parameter, out);
	check_wholes(b, past, touch, parameter, out);
}

/* Bytes that are known, with the kernels known by parameter before them. */
static void check_with_kernels(const struct sc_history_extra *b, const struct sc_past *past,
			       const struct sc_touch *touch, const struct sc_access *shape,
			       sc_conflicts *out)
{
	uint64_t end = sc_shape_end(shape), last;

	if (sc_last_is_ordered(&b->whole.ends, touch))
		return;
	last = last_pointer(b, shape->base);
	for (const struct sc_whole *w = sc_wholes_first(&b->whole); w;
	     w = sc_wholes_next(&b->whole, w)) {
		const struct sc_touch *t = &w->touch;
		struct sc_access all = sc_shape_linear(t->first, t->end - t->first, 0, 0);

		if (!sc_touch_conflicts(t, touch))
			continue;
		if (!w->is_piece && is_other_part(past, w->parameter, last, end))
			past->notes->uncompared_parts++;
		else
			check_shape(t, &all, touch, shape, out);
	}
}

/* Kernels touch a large block by many pointers: the first asks all that was kept, the others need
 * not. What the same op touched in between is no rival of it. */
static bool is_after_all(const struct sc_history *h, const struct sc_touch *touch)
{
	struct sc_history_extra *b = h->extra;
	const struct sc_note *n = touch->note;

	if (!b || !b->has_last || n->is_replay || touch->traits & SC_TRAIT_GRAPH)
		return 0;
	if (b->after.note == n && b->after.sequence == n->sequence &&
	    b->after.start == n->when.start && b->after.lane == touch->lane)
		return 1;
	if (!sc_last_is_ordered(&b->last, touch) || !sc_last_is_ordered(&b->whole.ends, touch))
		return 0;
	b->after.note = n;
	b->after.sequence = n->sequence;
	b->after.start = n->when.start;
	b->after.lane = touch->lane;
	return 1;
}

/* A touch is about to be added. */
static void note_op(struct sc_history *h, const struct sc_touch *touch)
{
	if (h->extra && h->extra->after.note != touch->note)
		h->extra->after.note = NULL;
}

static void check(struct sc_history *h, const struct sc_past *past, const struct sc_touch *touch,
		  const struct sc_access *shape, sc_conflicts *out)
{
	const struct sc_history_extra *b = extra_of(h);
	struct sc_span *exact;

	if (is_after_all(h, touch))
		return;
	if (touch->known == SC_KNOWN_PARAMETER && !sc_shape_is_piece(shape)) {
		check_maybe(h, past, touch, sc_shape_parameter(shape), out);
		return;
	}
	if (touch->known == SC_KNOWN_PARAMETER)
		check_wholes(b, past, touch, sc_shape_parameter(shape), out);
	else if (b->whole.count)
		check_with_kernels(b, past, touch, shape, out);
	exact = find_exact(h, past, shape, NULL);
	if (exact) {
		check_exact(h, past, exact, touch, shape, out);
		return;
	}
	if (is_all_ordered(h, touch))
		return;
	check_spans(h, past, touch, shape, out);
	for (size_t i = 0; i < b->strided.count; i++)
		check_shape(&b->strided.items[i].touch, &b->strided.items[i].shape, touch, shape,
			    out);
}

void sc_history_check(struct sc_history *h, const struct sc_past *past,
		      const struct sc_touch *touch, const struct sc_access *shape,
		      sc_conflicts *out)
{
	check(h, past, touch, shape, out);
	read_ops(out, past);
}

void sc_history_check_end(struct sc_history *h, const struct sc_past *past,
			  const struct sc_touch *end, sc_conflicts *out)
{
	const struct sc_history_extra *b;

	sc_assert(end->first < end->end);
	want_last(h, past);
	b = h->extra;
	for (size_t i = 0; i < b->last.touches.count; i++) {
		const struct sc_touch *t = &b->last.touches.items[i];

		if (!sc_touch_conflicts(t, end))
			continue;
		if (t->is_launch)
			check_nodes(h, t, end, out, sc_conflicts_keep_best);
		else
			sc_conflicts_keep_best(out, t);
	}
	for (const struct sc_whole *w = sc_wholes_first(&b->whole); w;
	     w = sc_wholes_next(&b->whole, w))
		if (sc_touch_conflicts(&w->touch, end))
			sc_conflicts_keep_best(out, &w->touch);
	read_ops(out, past);
}

/* Spans of [first, end) lose what the touch replaces and get it; one span if nothing else stays. */
static void add_linear(struct sc_history *h, const struct sc_past *past,
		       const struct sc_touch *touch, uint64_t first, uint64_t end)
{
	uint64_t open = first; /* where the run of bytes begins that has only this touch */
	struct sc_span *s;

	sc_assert(first < end);
	sc_span_cut(&h->spans, past->notes, first);
	sc_span_cut(&h->spans, past->notes, end);
	for (s = sc_span_from(&h->spans, first); s && s->range.start < end;) {
		uint64_t next = s->range.end;

		sc_readers_add(past, s, touch);
		if (s->count == 1) {
			sc_span_free(past->notes, s);
		} else {
			if (open < s->range.start)
				sc_span_new(&h->spans, past->notes, open, s->range.start, touch);
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

/* What is past stays so while an op adds its pieces, which may be many: looked at by the first. */
static void drop_strided(struct sc_history_extra *b, const struct sc_past *past,
			 const struct sc_touch *touch, const struct sc_access *shape)
{
	bool is_first = b->dropped_for != touch->note;
	uint64_t end = sc_shape_end(shape);
	size_t kept = 0;

	b->dropped_for = touch->note;
	for (size_t i = 0; i < b->strided.count; i++) {
		struct sc_strided *s = &b->strided.items[i];
		bool may_be_inside = shape->base <= s->touch.first && s->touch.end <= end;
		bool is_inside = may_be_inside &&
				 (sc_shape_is_linear(shape) || is_same_shape(shape, &s->shape));

		if ((is_first && sc_past_is(past, &s->touch)) ||
		    (is_inside && sc_past_replaces(past, touch, &s->touch)))
			sc_note_put(past->notes, s->touch.note);
		else if (kept++ != i)
			b->strided.items[kept - 1] = *s;
	}
	b->strided.count = kept;
}

#define STRIDED_MAX 4096

/* Different shapes without a wait between them pile up; the oldest half makes room, and counts. */
static void add_strided(struct sc_history *h, const struct sc_past *past,
			const struct sc_touch *touch, const struct sc_access *shape)
{
	struct sc_history_extra *b = want_extra(h);

	if (b->strided.count == STRIDED_MAX) {
		size_t half = STRIDED_MAX / 2;

		for (size_t i = 0; i < half; i++)
			sc_note_put(past->notes, b->strided.items[i].touch.note);
		past->notes->forgotten += half;
		memmove(b->strided.items, b->strided.items + half,
			half * sizeof(*b->strided.items));
		b->strided.count = half;
	}
	sc_vector_push(&b->strided, ((struct sc_strided){sc_touch_get(touch), *shape}));
}

void sc_history_add_launch(struct sc_history *h, const struct sc_past *past,
			   const struct sc_touch *touch)
{
	sc_assert(touch->is_launch && touch->first < touch->end);
	want_last(h, past);
	note_op(h, touch);
	sc_last_add(&h->extra->last, past, touch);
}

/* Of bytes that have a span. */
static inline void add_exact(struct sc_history *h, const struct sc_past *past, struct sc_span *s,
			     const struct sc_touch *touch)
{
	if (h->extra && h->extra->has_last && !touch->note->is_replay)
		sc_last_add(&h->extra->last, past, touch);
	sc_readers_add(past, s, touch);
}

void sc_history_add(struct sc_history *h, const struct sc_past *past, const struct sc_touch *touch,
		    const struct sc_access *shape)
{
	struct sc_span *exact;

	sc_assert(touch->first < touch->end);
	note_op(h, touch);
	sc_history_changed(h, touch->first, touch->end);
	if (touch->known == SC_KNOWN_PARAMETER) {
		sc_wholes_add(&want_extra(h)->whole, past, touch, shape);
		return;
	}
	exact = find_exact(h, past, shape, NULL);
	if (touch->traits & SC_TRAIT_GRAPH || !sc_shape_is_linear(shape) ||
	    (!exact && h->spans.count > FEW_SPANS))
		want_last(h, past);
	if (exact) {
		add_exact(h, past, exact, touch);
		return;
	}
	if (extra_of(h)->has_last && !touch->note->is_replay)
		sc_last_add(&h->extra->last, past, touch);
	if (h->extra)
		drop_strided(h->extra, past, touch, shape);
	if (sc_shape_is_linear(shape))
		add_linear(h, past, touch, shape->base, shape->base + shape->width);
	else
		add_strided(h, past, touch, shape);
}

/* Checks a touch of all bytes of a span with few touches, and adds it. */
static void use_few(const struct sc_past *past, struct sc_span *s, const struct sc_touch *touch,
		    sc_conflicts *out)
{
	struct sc_touch *t = sc_span_touches(s);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		bool is_before = sc_touch_before(&t[i], touch);

		if (!is_before && sc_touch_conflicts(&t[i], touch))
			sc_conflicts_add(out, &t[i], touch->first, touch->end, 1);
		if (sc_past_drops(past, touch, &t[i], is_before))
			sc_note_put_later(past->notes, t[i].note);
		else if (kept++ != i)
			t[kept - 1] = t[i];
	}
	s->count = kept;
	sc_span_push(s, touch);
	if (sc_span_has_many(s))
		sc_span_set_compared(s);
}

void sc_history_use(struct sc_history *h, const struct sc_past *past, const struct sc_touch *touch,
		    const struct sc_access *shape, struct sc_span *hint, sc_conflicts *out)
{
	bool is_plain = !extra_of(h)->whole.count && touch->known != SC_KNOWN_PARAMETER &&
			!(touch->traits & SC_TRAIT_GRAPH);
	struct sc_span *exact = is_plain ? find_exact(h, past, shape, hint) : NULL;

	if (!exact) {
		sc_history_check(h, past, touch, shape, out);
		sc_history_add(h, past, touch, shape);
		return;
	}
	note_op(h, touch);
	sc_history_changed(h, touch->first, touch->end);
	if (h->extra && h->extra->has_last && !touch->note->is_replay)
		sc_last_add(&h->extra->last, past, touch);
	if (sc_span_has_many(exact)) {
		check_spans(h, past, touch, shape, out);
		sc_readers_add_to_many(past, exact, touch);
	} else {
		use_few(past, exact, touch, out);
	}
	read_ops(out, past);
}

void sc_history_erase(struct sc_history *h, const struct sc_past *past, uint64_t first,
		      uint64_t end)
{
	struct sc_history_extra *b = h->extra;
	struct sc_span *s;
	size_t kept = 0;

	sc_assert(first < end);
	sc_history_changed(h, first, end);
	sc_span_cut(&h->spans, past->notes, first);
	sc_span_cut(&h->spans, past->notes, end);
	while ((s = sc_span_from(&h->spans, first)) && s->range.start < end)
		sc_span_free(past->notes, s);
	for (size_t i = 0; b && i < b->strided.count; i++) {
		struct sc_strided *d = &b->strided.items[i];

		if (first <= d->touch.first && d->touch.end <= end)
			sc_note_put(past->notes, d->touch.note);
		else
			b->strided.items[kept++] = *d;
	}
	if (b)
		b->strided.count = kept;
}

static void free_extra(struct sc_history_extra *b, struct sc_notes *notes)
{
	for (size_t i = 0; i < b->strided.count; i++)
		sc_note_put(notes, b->strided.items[i].touch.note);
	sc_wholes_fini(&b->whole, notes);
	sc_last_fini(&b->last, notes);
	sc_vector_fini(&b->strided);
	free(b);
}

void sc_history_fini(struct sc_history *h, struct sc_notes *notes)
{
	sc_spans_fini(&h->spans, notes);
	if (h->extra)
		free_extra(h->extra, notes);
	h->extra = NULL;
}
