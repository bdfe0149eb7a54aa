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
	uint64_t used, live; /* slots with a key, and with a record: under the table's lock */
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

static void *look_up(struct sc_table_slots *slots, uint64_t key)
{
	struct slot *s;

	if (!slots || !key)
		return NULL;
	s = locate(slots, key);
	if (atomic_load_explicit(&s->key, memory_order_acquire) != key)
		return NULL;
	return atomic_load_explicit(&s->record, memory_order_acquire);
}

/* What was read of slots that are not the table's any more, and may be in use again, is read anew.
 * Slots are replaced when they are complete: a reader that interrupts the writer need not wait. */
void *sc_table_get(struct sc_table *table, uint64_t key)
{
	unsigned generation, now;
	void *record;

	/* acquire: pairs with the releases in `publish` */
	now = atomic_load_explicit(&table->generation, memory_order_acquire);
	do {
		generation = now;
		record = look_up(atomic_load_explicit(&table->slots, memory_order_acquire), key);
		/* acquire: pairs with the fence in `clean` */
		atomic_thread_fence(memory_order_acquire);
		now = atomic_load_explicit(&table->generation, memory_order_acquire);
	} while (now != generation);
	return record;
}

static void fill(struct sc_table_slots *slots, uint64_t key, void *record)
{
	struct slot *s = locate(slots, key);
	bool is_there = atomic_load_explicit(&s->key, memory_order_relaxed) == key;
	bool was_live = atomic_load_explicit(&s->record, memory_order_relaxed) != NULL;

	atomic_store_explicit(&s->record, record, memory_order_release);
	slots->live += (record != NULL) - was_live;
	if (is_there)
		return;
	sc_assert(slots->used < slots->mask); /* an empty one is left, where searches end */
	slots->used++;
	atomic_store_explicit(&s->key, key, memory_order_release);
}

/* ---- other slots ---- */

/* Slots that readers may still be in: they find out by the generation, which has changed. */
static void clean(struct sc_table_slots *slots)
{
	/* release: the generation has changed before the first slot does */
	atomic_thread_fence(memory_order_release);
	for (uint64_t i = 0; i <= slots->mask; i++) {
		atomic_store_explicit(&slots->slot[i].key, 0, memory_order_relaxed);
		atomic_store_explicit(&slots->slot[i].record, NULL, memory_order_relaxed);
	}
	slots->used = slots->live = 0;
}

/* Empty slots: those that were the table's before, if there are as many, or new ones. */
static struct sc_table_slots *take_slots(struct sc_table *table, uint64_t size)
{
	struct sc_table_slots *slots = table->spare;

	if (slots && slots->mask + 1 == size) {
		clean(slots);
		return slots;
	}
	slots = sc_arena_get(sizeof(*slots) + size * sizeof(slots->slot[0]));
	if (slots)
		slots->mask = size - 1;
	return slots;
}

static void publish(struct sc_table *table, struct sc_table_slots *slots)
{
	table->spare = atomic_load_explicit(&table->slots, memory_order_relaxed);
	atomic_store_explicit(&table->slots, slots, memory_order_release);
	atomic_fetch_add_explicit(&table->generation, 1, memory_order_release);
}

/* Keys without a record stay behind, so that only records make a table larger. At least a quarter
 * of the slots is free then. */
static struct sc_table_slots *renew(struct sc_table *table, struct sc_table_slots *old)
{
	uint64_t size = old ? old->mask + 1 : FIRST_SLOTS;
	struct sc_table_slots *slots;

	if (old && old->live * 2 > size)
		size *= 2;
	slots = take_slots(table, size);
	if (!slots)
		return NULL;
	for (uint64_t i = 0; old && i <= old->mask; i++) {
		uint64_t key = atomic_load_explicit(&old->slot[i].key, memory_order_relaxed);
		void *record = atomic_load_explicit(&old->slot[i].record, memory_order_relaxed);

		if (key && record)
			fill(slots, key, record);
	}
	publish(table, slots);
	return slots;
}

/* Slots with room for a record under this key; NULL if there are none. With the lock held. */
static struct sc_table_slots *room(struct sc_table *table, uint64_t key)
{
	struct sc_table_slots *slots = atomic_load_explicit(&table->slots, memory_order_relaxed);

	if (slots && (slots->used * 4 < (slots->mask + 1) * 3 ||
		      atomic_load_explicit(&locate(slots, key)->key, memory_order_relaxed)))
		return slots;
	return renew(table, slots);
}

int sc_table_replace(struct sc_table *table, uint64_t key, void *record, void **before)
{
	struct sc_table_slots *slots;

	if (!key)
		return -EINVAL;
	sc_lock_get(&table->lock);
	slots = room(table, key);
	if (slots) {
		*before = look_up(slots, key);
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
	slots = there ? NULL : room(table, key);
	if (slots)
		fill(slots, key, there = record);
	sc_lock_put(&table->lock);
	return there;
}

void sc_table_visit(struct sc_table *table, void (*see)(void *data, const void *record), void *data)
{
	/* acquire: pairs with the release in `grow` */
	struct sc_table_slots *slots = atomic_load_explicit(&table->slots, memory_order_acquire);

	for (uint64_t i = 0; slots && i <= slots->mask; i++) {
		const void *record =
			atomic_load_explicit(&slots->slot[i].record, memory_order_acquire);

		if (record)
			see(data, record);
	}
}
