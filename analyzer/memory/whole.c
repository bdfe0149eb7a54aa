/* Wholes: a list of touches in the order in which they came, with chains by parameter. */
#include "analyzer/memory/whole.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/assert.h"
#include "base/heap.h"

#define ROOM_FIRST 8

static uint16_t *chain_of(struct sc_wholes *w, uint64_t parameter)
{
	uint64_t mixed = (parameter ^ parameter >> 24) * UINT64_C(0x9e3779b97f4a7c15);

	return &w->chains[mixed >> 32 & (w->room - 1)];
}

static void put_in_chain(struct sc_wholes *w, uint16_t place)
{
	struct sc_whole *one = &w->items[place - 1];
	uint16_t *chain = chain_of(w, one->parameter);

	one->same = *chain;
	*chain = place;
}

static void grow(struct sc_wholes *w)
{
	uint32_t room = w->room ? 2 * w->room : ROOM_FIRST;

	w->items = sc_heap_xrealloc(w->items, room, sizeof(*w->items));
	free(w->chains);
	w->chains = sc_heap_xcalloc(room, sizeof(*w->chains));
	for (uint32_t i = room; i-- > w->room;) {
		w->items[i].next = w->unused;
		w->unused = (uint16_t)(i + 1);
	}
	w->room = room;
	for (uint16_t place = w->first; place; place = w->items[place - 1].next)
		put_in_chain(w, place);
}

static void drop(struct sc_wholes *w, const struct sc_past *past, uint16_t place)
{
	struct sc_whole *one = &w->items[place - 1];
	uint16_t *link = chain_of(w, one->parameter);

	sc_assert(place && w->count > 0);
	while (*link != place)
		link = &w->items[*link - 1].same;
	*link = one->same;
	*(one->before ? &w->items[one->before - 1].next : &w->first) = one->next;
	*(one->next ? &w->items[one->next - 1].before : &w->last) = one->before;
	one->next = w->unused;
	w->unused = place;
	w->count--;
	sc_note_put(past->notes, one->touch.note);
}

/* The oldest half makes room, and counts; none of it could become a proven finding. */
static void forget_oldest(struct sc_wholes *w, const struct sc_past *past)
{
	sc_assert(w->count == SC_WHOLE_MAX);
	for (unsigned i = 0; i < SC_WHOLE_MAX / 2; i++)
		drop(w, past, w->first);
	past->notes->forgotten_possible += SC_WHOLE_MAX / 2;
}

/* False if none of the touches is past: of one lane the first is so before the others. */
static bool may_be_past(const struct sc_wholes *w, const struct sc_past *past)
{
	return w->count && (w->is_mixed || sc_past_is(past, &sc_wholes_first(w)->touch));
}

/* True if nothing is to be remembered of it besides a new touch with that pointer. */
static bool is_replaced(const struct sc_past *past, const struct sc_whole *one,
			const struct sc_touch *touch, uint64_t parameter)
{
	return one->parameter == parameter && touch->first <= one->touch.first &&
	       one->touch.end <= touch->end && sc_past_replaces(past, touch, &one->touch);
}

static void drop_past(struct sc_wholes *w, const struct sc_past *past, const struct sc_touch *touch,
		      uint64_t parameter)
{
	for (uint16_t place = w->first, next; place; place = next) {
		const struct sc_whole *one = &w->items[place - 1];

		next = one->next;
		if (is_replaced(past, one, touch, parameter) || sc_past_is(past, &one->touch))
			drop(w, past, place);
	}
}

/* Most pointers of a kernel are those of an earlier one, or of none. */
static void drop_replaced(struct sc_wholes *w, const struct sc_past *past,
			  const struct sc_touch *touch, uint64_t parameter)
{
	for (uint16_t place = w->room ? *chain_of(w, parameter) : 0, next; place; place = next) {
		next = w->items[place - 1].same;
		if (is_replaced(past, &w->items[place - 1], touch, parameter))
			drop(w, past, place);
	}
}

static bool mixes(const struct sc_wholes *w, const struct sc_touch *new)
{
	const struct sc_touch *last = w->count ? &sc_wholes_at(w, w->last)->touch : new;

	return (w->count && w->is_mixed) || new->traits &SC_TRAIT_GRAPH ||
	       last->lane != new->lane || last->position > new->position;
}

static void push(struct sc_wholes *w, const struct sc_touch *touch, const struct sc_access *shape)
{
	struct sc_whole *one;
	uint16_t place;

	w->is_mixed = mixes(w, touch);
	if (!w->unused)
		grow(w);
	place = w->unused;
	w->unused = w->items[place - 1].next;
	one = &w->items[place - 1];
	one->touch = sc_touch_get(touch);
	one->parameter = sc_shape_parameter(shape);
	one->next = 0;
	one->before = w->last;
	one->is_piece = sc_shape_is_piece(shape);
	*(w->last ? &w->items[w->last - 1].next : &w->first) = place;
	w->last = place;
	w->count++;
	put_in_chain(w, place);
}

/* Kernels have many pointers: which of the earlier touches are past was asked for the first of
 * them, and stays so until the next op. */
static bool is_of_last_op(const struct sc_wholes *w, const struct sc_touch *touch)
{
	const struct sc_whole *last = sc_wholes_at(w, w->last);

	return last && last->touch.note == touch->note && !(touch->traits & SC_TRAIT_GRAPH);
}

/* True if the last touch is one of the same op that came after the same ones, and before. */
static bool is_ended_alike(const struct sc_wholes *w, const struct sc_touch *touch)
{
	const struct sc_touch *last = &sc_wholes_at(w, w->last)->touch;

	return last->mode == touch->mode && last->traits == touch->traits;
}

void sc_wholes_add(struct sc_wholes *w, const struct sc_past *past, const struct sc_touch *touch,
		   const struct sc_access *shape)
{
	uint64_t parameter = sc_shape_parameter(shape);
	bool is_more = is_of_last_op(w, touch), has_end = is_more && is_ended_alike(w, touch);

	sc_assert(touch->known == SC_KNOWN_PARAMETER);
	if (!is_more && may_be_past(w, past))
		drop_past(w, past, touch, parameter);
	else
		drop_replaced(w, past, touch, parameter);
	if (!has_end)
		sc_last_add(&w->ends, past, touch);
	if (w->count == SC_WHOLE_MAX)
		forget_oldest(w, past);
	push(w, touch, shape);
	sc_assert(w->count <= SC_WHOLE_MAX);
}

void sc_wholes_fini(struct sc_wholes *w, struct sc_notes *notes)
{
	for (const struct sc_whole *one = sc_wholes_first(w); one; one = sc_wholes_next(w, one))
		sc_note_put(notes, one->touch.note);
	sc_last_fini(&w->ends, notes);
	free(w->items);
	free(w->chains);
	*w = (struct sc_wholes){0};
}
