/* A map from numbers to records: open addressing, lock-free readers. */
#include "interposer/core/table.h"

#include <errno.h>
#include <stddef.h>
#include "base/assert.h"
#include "interposer/core/arena.h"

struct slot {
	_Atomic uint64_t key;
	void *_Atomic record;
};

struct sc_table_slots {
	uint64_t mask;
	uint64_t used; /* under the table's lock */
	struct slot slot[];
};

#define FIRST_SLOTS 64

static uint64_t spread(uint64_t key)
{
	key ^= key >> 33;
	key *= UINT64_C(0xff51afd7ed558ccd);
	return key ^ key >> 29;
}

/* The slot that holds `key`, or the empty one where it belongs. */
static struct slot *locate(struct sc_table_slots *slots, uint64_t key)
{
	uint64_t at = spread(key) & slots->mask;

	for (;;) {
		struct slot *s = &slots->slot[at];
		/* acquire: pairs with the release in `fill`, which publishes the record */
		uint64_t found = atomic_load_explicit(&s->key, memory_order_acquire);

		if (found == key || !found)
			return s;
		at = (at + 1) & slots->mask;
	}
}

void *sc_table_get(struct sc_table *table, uint64_t key)
{
	/* acquire: pairs with the release in `grow` */
	struct sc_table_slots *slots = atomic_load_explicit(&table->slots, memory_order_acquire);
	struct slot *s;

	if (!slots || !key)
		return NULL;
	s = locate(slots, key);
	if (atomic_load_explicit(&s->key, memory_order_acquire) != key)
		return NULL;
	return atomic_load_explicit(&s->record, memory_order_acquire);
}

static void fill(struct sc_table_slots *slots, uint64_t key, void *record)
{
	struct slot *s = locate(slots, key);

	atomic_store_explicit(&s->record, record, memory_order_release);
	if (atomic_load_explicit(&s->key, memory_order_relaxed) == key)
		return;
	sc_assert(slots->used <= slots->mask);
	slots->used++;
	atomic_store_explicit(&s->key, key, memory_order_release);
}

static struct sc_table_slots *grow(struct sc_table *table, struct sc_table_slots *old)
{
	uint64_t size = old ? 2 * (old->mask + 1) : FIRST_SLOTS;
	struct sc_table_slots *slots = sc_arena_get(sizeof(*slots) + size * sizeof(slots->slot[0]));

	if (!slots)
		return NULL;
	slots->mask = size - 1;
	for (uint64_t i = 0; old && i <= old->mask; i++) {
		uint64_t key = atomic_load_explicit(&old->slot[i].key, memory_order_relaxed);

		if (key)
			fill(slots, key, old->slot[i].record);
	}
	atomic_store_explicit(&table->slots, slots, memory_order_release);
	return slots;
}

/* Room for one more record; NULL if there is none. With the lock held. */
static struct sc_table_slots *room(struct sc_table *table)
{
	struct sc_table_slots *slots = atomic_load_explicit(&table->slots, memory_order_relaxed);
	struct sc_table_slots *bigger;

	if (slots && slots->used * 4 < (slots->mask + 1) * 3)
		return slots;
	bigger = grow(table, slots);
	if (bigger)
		return bigger;
	return slots && slots->used < slots->mask ? slots : NULL;
}

int sc_table_replace(struct sc_table *table, uint64_t key, void *record, void **before)
{
	struct sc_table_slots *slots;

	if (!key)
		return -EINVAL;
	sc_lock_get(&table->lock);
	slots = room(table);
	if (slots) {
		*before = sc_table_get(table, key);
		fill(slots, key, record);
	}
	sc_lock_put(&table->lock);
	return slots ? 0 : -ENOMEM;
}

int sc_table_put(struct sc_table *table, uint64_t key, void *record)
{
	void *before;

	return sc_table_replace(table, key, record, &before);
}

bool sc_table_clear(struct sc_table *table, uint64_t key, const void *record)
{
	bool is_there;

	if (!record)
		return false;
	sc_lock_get(&table->lock);
	is_there = sc_table_get(table, key) == record;
	if (is_there)
		fill(atomic_load_explicit(&table->slots, memory_order_relaxed), key, NULL);
	sc_lock_put(&table->lock);
	return is_there;
}

void *sc_table_add(struct sc_table *table, uint64_t key, void *record)
{
	struct sc_table_slots *slots;
	void *there;

	if (!key)
		return NULL;
	sc_lock_get(&table->lock);
	there = sc_table_get(table, key);
	slots = there ? NULL : room(table);
	if (slots)
		fill(slots, key, there = record);
	sc_lock_put(&table->lock);
	return there;
}
