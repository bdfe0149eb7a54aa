/* Conflicts: entries found by what makes them the same. */
#include "analyzer/memory/conflicts.h"

#include <stdlib.h>
#include "base/heap.h"
#include "base/vector.h"
#include "base/assert.h"

#define FEW 16 /* entries that are searched one by one */

typedef bool is_same_fn(const struct sc_touch *x, const struct sc_touch *y);

static bool is_of_same_op(const struct sc_touch *x, const struct sc_touch *y)
{
	return sc_note_is_same(x->note, y->note) && x->node == y->node && x->mode == y->mode &&
	       x->known == y->known;
}

static bool is_of_same_lane(const struct sc_touch *x, const struct sc_touch *y)
{
	return x->note->when.lane == y->note->when.lane;
}

static uint64_t mixed(uint64_t number)
{
	return number * UINT64_C(0x9E3779B97F4A7C15) >> 16;
}

static void put_slot(sc_conflicts *list, size_t index)
{
	size_t at = list->items[index].key % list->slot_count;

	while (list->slots[at])
		at = (at + 1) % list->slot_count;
	list->slots[at] = (uint32_t)index + 1;
}

static void push(sc_conflicts *list, const struct sc_conflict *c)
{
	sc_vector_push(list, *c);
	if (list->count <= FEW)
		return;
	if (2 * list->count <= list->slot_count) {
		put_slot(list, list->count - 1);
		return;
	}
	free(list->slots);
	list->slot_count = 4 * list->count;
	list->slots = sc_heap_xcalloc(list->slot_count, sizeof(*list->slots));
	for (size_t i = 0; i < list->count; i++)
		put_slot(list, i);
}

static struct sc_conflict *find(const sc_conflicts *list, uint64_t key, const struct sc_touch *t,
				is_same_fn *is_same)
{
	if (!list->slots) {
		for (size_t i = list->count; i-- > 0;)
			if (is_same(&list->items[i].earlier, t))
				return &list->items[i];
		return NULL;
	}
	for (size_t at = key % list->slot_count; list->slots[at];
	     at = (at + 1) % list->slot_count) {
		struct sc_conflict *c = &list->items[list->slots[at] - 1];

		if (c->key == key && is_same(&c->earlier, t))
			return c;
	}
	return NULL;
}

void sc_conflicts_add(sc_conflicts *list, const struct sc_touch *earlier, uint64_t first,
		      uint64_t end, bool is_sure)
{
	uint64_t key = mixed(earlier->note->sequence << 24 ^ earlier->node);
	struct sc_conflict *c = find(list, key, earlier, is_of_same_op);

	sc_assert(first < end);
	sc_assert(first < end);
	if (!c) {
		push(list, &(struct sc_conflict){sc_touch_get(earlier), first, end, is_sure, key});
		return;
	}
	c->first = c->first < first ? c->first : first;
	c->end = c->end > end ? c->end : end;
	c->is_sure |= is_sure;
}

void sc_conflicts_keep_best(sc_conflicts *list, const struct sc_touch *t)
{
	uint64_t key = mixed(t->note->when.lane);
	struct sc_conflict *c = find(list, key, t, is_of_same_lane);
	struct sc_note *n;

	if (!c) {
		push(list, &(struct sc_conflict){sc_touch_get(t), t->first, t->end, 1, key});
		return;
	}
	n = c->earlier.note;
	if (t->known > c->earlier.known ||
	    (t->known == c->earlier.known && t->note->sequence <= n->sequence))
		return;
	/* The entry's own reference goes from one note to the other. */
	c->earlier = sc_touch_get(t);
	c->first = t->first;
	c->end = t->end;
	sc_assert(n->refs > 1);
	n->refs--;
}

void sc_conflicts_clear(sc_conflicts *list, struct sc_notes *notes)
{
	for (size_t i = 0; i < list->count; i++)
		sc_note_put(notes, list->items[i].earlier.note);
	sc_vector_clear(list);
	if (!list->slots)
		return;
	free(list->slots);
	list->slots = NULL;
	list->slot_count = 0;
}
