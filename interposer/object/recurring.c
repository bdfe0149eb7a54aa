/* Recurring ranges: taken, set and dropped with the entries of the table of memory. */
#include "interposer/object/recurring.h"

#include "base/assert.h"
#include "interposer/core/arena.h"

struct sc_recurring *sc_recurring_take(struct sc_recurring_list *list)
{
	struct sc_recurring *range = list->spare;

	if (list->count == SC_RECURRING_MOST)
		return NULL;
	if (range)
		list->spare = range->next;
	else
		range = sc_arena_get(sizeof(*range));
	list->count += range != NULL;
	return range;
}

void sc_recurring_set(struct sc_recurring_list *list, struct sc_recurring *range,
		      const struct sc_recurring_key *key, uint32_t object)
{
	sc_assert(key->start && object);
	atomic_store_explicit(&range->bytes, key->bytes, memory_order_relaxed);
	atomic_store_explicit(&range->context, key->context, memory_order_relaxed);
	atomic_store_explicit(&range->flags, key->flags, memory_order_relaxed);
	atomic_store_explicit(&range->device, key->device, memory_order_relaxed);
	atomic_store_explicit(&range->object, object, memory_order_relaxed);
	/* release: pairs with the acquire in sc_recurring_find */
	atomic_store_explicit(&range->start, key->start, memory_order_release);
	atomic_store_explicit(sc_recurring_place(list, key->start), range, memory_order_relaxed);
}

void sc_recurring_drop(struct sc_recurring_list *list, struct sc_recurring *range)
{
	if (!range)
		return;
	sc_assert(list->count > 0);
	atomic_store_explicit(&range->start, 0, memory_order_relaxed);
	range->next = list->spare;
	list->spare = range;
	list->count--;
}
