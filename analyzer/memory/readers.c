/* Readers: reads that are put off, and compared from the newest to the oldest. */
#include "analyzer/memory/readers.h"

#include <stdbool.h>
#include "base/assert.h"
#include "base/vector.h"

#define FEW	16   /* touches that are compared at once, and entries of a clock that are walked */
#define GONE	0x80 /* in a touch's mode: it is replaced, and about to be dropped */
#define CLASSES ((SC_NOTES_SITES + 1) * 32) /* of reads that replace the same reads */

/* The join of the starts of some reads; the entries of their clocks are in `reached` of the notes,
 * by lane. */
struct horizon {
	const struct sc_clock *base; /* the youngest published clock */
	uint64_t entered;	     /* the latest host call */
};

static bool is_gone(const struct sc_past *past, const struct sc_touch *new,
		    const struct sc_touch *old)
{
	return sc_past_replaces(past, new, old) || sc_past_is(past, old);
}

void sc_readers_drop(const struct sc_past *past, struct sc_span *s, const struct sc_touch *new)
{
	struct sc_touch *t = sc_span_touches(s);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		if (is_gone(past, new, &t[i]))
			sc_note_put(past->notes, t[i].note);
		else if (kept++ != i)
			t[kept - 1] = t[i];
	}
	s->count = kept;
}

static bool has_graph(const struct sc_span *s)
{
	for (uint32_t i = 0; i < s->outside.other_count; i++)
		if (s->outside.touches[s->outside.others[i]].traits & SC_TRAIT_GRAPH)
			return 1;
	return 0;
}

/* True if the read can be compared later. With a pending host function, or a graph's touch, only
 * now gives what the naive form gives; and clocks of many entries are better searched. */
static bool can_wait(const struct sc_past *past, const struct sc_span *s,
		     const struct sc_touch *touch)
{
	const struct sc_clock *c = touch->note->when.start;

	return s->count >= FEW && sc_touch_is_plain_read(touch) && !past->order->callbacks.oldest &&
	       (!c || (c->is_dense ? c->version > 0 : c->count <= FEW)) && !has_graph(s);
}

/* Drops the newest touches as long as the read replaces them: often there is one of the same
 * stream. The newest touch that stays, stays in the naive form too: what came after it did not
 * replace it, or else the read would, which comes after that. */
static void drop_newest(const struct sc_past *past, struct sc_span *s, const struct sc_touch *read)
{
	struct sc_span_outside *out = &s->outside;

	while (s->count) {
		struct sc_touch *last = &out->touches[s->count - 1];

		past->notes->compared++;
		if (!is_gone(past, read, last))
			return;
		sc_note_put(past->notes, last->note);
		s->count--;
		if (out->other_count && out->others[out->other_count - 1] == s->count)
			out->other_count--;
		if (out->compared > s->count)
			out->compared = s->count;
	}
}

static uint64_t *reached_of(struct sc_notes *notes, uint32_t lane)
{
	while (notes->reached.count <= lane)
		sc_vector_push(&notes->reached, 0);
	return &notes->reached.items[lane];
}

static void reach(struct sc_notes *notes, uint32_t lane, uint64_t position)
{
	uint64_t *reached = reached_of(notes, lane);

	*reached = *reached > position ? *reached : position;
}

static void learn(struct horizon *h, struct sc_notes *notes, const struct sc_touch *read)
{
	const struct sc_interval *w = &read->note->when;
	const struct sc_clock *c = w->start, *base = c && !c->is_dense ? c->base : c;

	if (base && (!h->base || h->base->version < base->version))
		h->base = base;
	for (uint32_t i = 0; c && !c->is_dense && i < c->count; i++)
		reach(notes, c->further[i].lane, c->further[i].position);
	if (read->lane != SC_LANE_HOST)
		reach(notes, read->lane, read->position - 1);
	h->entered = h->entered > w->entered ? h->entered : w->entered;
}

static void forget(struct sc_notes *notes, const struct sc_touch *read)
{
	const struct sc_clock *c = read->note->when.start;

	for (uint32_t i = 0; c && !c->is_dense && i < c->count; i++)
		*reached_of(notes, c->further[i].lane) = 0;
	if (read->lane != SC_LANE_HOST)
		*reached_of(notes, read->lane) = 0;
}

/* The same as sc_touch_before_plain of the touch and any of the reads that were learned. */
static bool is_before(const struct horizon *h, const struct sc_notes *notes,
		      const struct sc_touch *t)
{
	if (t->lane == SC_LANE_HOST)
		return t->position < h->entered;
	return sc_clock_at(h->base, t->lane) >= t->position ||
	       (t->lane < notes->reached.count && notes->reached.items[t->lane] >= t->position);
}

/* By what sc_touch_outdoes looks at. */
static unsigned class_of(const struct sc_touch *read)
{
	return (unsigned)read->site << 5 | (read->known & 3U) |
	       (read->traits & SC_TRAIT_WEAK ? 4U : 0U) |
	       (read->traits & SC_TRAIT_LIBRARY ? 8U : 0U) |
	       (read->traits & SC_TRAIT_FLAG ? 16U : 0U);
}

/* Marks what reads of one class replace that were put off. */
static void mark(struct sc_notes *notes, struct sc_span *s, const struct sc_touch *any)
{
	struct sc_touch *t = s->outside.touches;
	struct horizon h = {0};

	notes->compared += s->count;
	for (uint32_t i = s->count; i-- > 0;) {
		if (sc_touch_outdoes(any, &t[i]) && is_before(&h, notes, &t[i]))
			t[i].mode |= GONE;
		if (i >= s->outside.compared && class_of(&t[i]) == class_of(any))
			learn(&h, notes, &t[i]);
	}
	for (uint32_t i = s->outside.compared; i < s->count; i++)
		forget(notes, &t[i]);
}

static void compare(const struct sc_past *past, struct sc_span *s)
{
	struct sc_touch *t = s->outside.touches;
	bool is_marked[CLASSES] = {0};
	uint32_t kept = 0;

	sc_assert(s->outside.compared < s->count);
	for (uint32_t i = s->outside.compared; i < s->count; i++) {
		struct sc_touch any = t[i];

		if (is_marked[class_of(&any)])
			continue;
		is_marked[class_of(&any)] = 1;
		any.mode = SC_READ;
		mark(past->notes, s, &any);
	}
	for (uint32_t i = 0; i < s->count; i++) {
		if (t[i].mode & GONE || sc_past_is(past, &t[i]))
			sc_note_put(past->notes, t[i].note);
		else if (kept++ != i)
			t[kept - 1] = t[i];
	}
	s->count = kept;
	sc_span_set_compared(s);
}

void sc_readers_settle(const struct sc_past *past, struct sc_span *s)
{
	if (sc_span_has_many(s) && s->outside.compared < s->count)
		compare(past, s);
}

void sc_readers_add_to_many(const struct sc_past *past, struct sc_span *s,
			    const struct sc_touch *touch)
{
	sc_assert(sc_span_has_many(s));
	if (!can_wait(past, s, touch)) {
		sc_readers_settle(past, s);
		past->notes->compared += s->count;
		sc_readers_drop(past, s, touch);
		sc_span_push(s, touch);
		sc_span_set_compared(s);
		return;
	}
	drop_newest(past, s, touch);
	sc_span_push(s, touch);
	if (s->count >= s->outside.most)
		compare(past, s);
}

struct sc_rivals sc_readers_rivals(const struct sc_past *past, struct sc_span *s,
				   const struct sc_touch *touch)
{
	struct sc_rivals r = {0};

	if (sc_span_has_many(s) && sc_touch_is_plain_read(touch)) {
		r.indices = s->outside.others;
		r.count = s->outside.other_count;
	} else {
		sc_readers_settle(past, s);
		r.count = s->count;
	}
	r.touches = sc_span_touches(s);
	past->notes->compared += r.count;
	return r;
}
