/* A hash set of live handles: open addressing, linear probing, tombstones. */
#include "simulator/driver/handle.h"

#include <stdint.h>
#include <stdlib.h>

#define FIRST_CAPACITY 1024
#define TOMBSTONE      ((const void *)1)

struct entry {
	const void *object; /* NULL: never used */
	enum sim_kind kind;
	bool is_dead; /* it was a stream or event */
};

/* Nothing is ever mapped there; volatile, as compilers know that, too. */
static const volatile char *volatile poison = (const volatile char *)0x68;

static struct entry *entries;
static size_t capacity; /* a power of two */
static size_t used;	/* live entries and tombstones */

static size_t slot_of(const void *object)
{
	return (size_t)(((uintptr_t)object * 0x9E3779B97F4A7C15u) >> 20) & (capacity - 1);
}

static struct entry *find(const void *object)
{
	size_t i;

	if (!capacity || !object || object == TOMBSTONE)
		return NULL;
	for (i = slot_of(object); entries[i].object; i = (i + 1) & (capacity - 1))
		if (entries[i].object == object)
			return &entries[i];
	return NULL;
}

static void place(struct entry entry)
{
	size_t i = slot_of(entry.object);

	while (entries[i].object && entries[i].object != TOMBSTONE)
		i = (i + 1) & (capacity - 1);
	if (!entries[i].object)
		used++;
	entries[i] = entry;
}

/* Doubles the table when half of it is used; tombstones do not survive. */
static bool reserve(void)
{
	size_t i, old_capacity = capacity;
	struct entry *old = entries, *grown;

	if (used * 2 < capacity)
		return true;
	grown = calloc(capacity ? capacity * 2 : FIRST_CAPACITY, sizeof(*grown));
	if (!grown)
		return false;
	entries = grown;
	capacity = capacity ? capacity * 2 : FIRST_CAPACITY;
	used = 0;
	for (i = 0; i < old_capacity; i++)
		if (old[i].object && old[i].object != TOMBSTONE)
			place(old[i]);
	free(old);
	return true;
}

bool sim_handle_add(void *object, enum sim_kind kind)
{
	struct entry *entry = find(object);

	if (entry)
		*entry = (struct entry){object, kind, false};
	else if (reserve())
		place((struct entry){object, kind, false});
	else
		return false;
	return true;
}

void *sim_handle_new(enum sim_kind kind, unsigned long size_bytes)
{
	void *object = calloc(1, size_bytes);

	if (object && sim_handle_add(object, kind))
		return object;
	free(object);
	return NULL;
}

void sim_handle_remove(const void *object)
{
	struct entry *entry = find(object);

	if (!entry)
		return;
	entry->is_dead = entry->kind == SIM_KIND_STREAM || entry->kind == SIM_KIND_EVENT;
	if (!entry->is_dead)
		*entry = (struct entry){TOMBSTONE, SIM_KIND_NONE, false};
}

bool sim_handle_is(const void *object, enum sim_kind kind)
{
	const struct entry *entry = find(object);

	return entry && entry->kind == kind && !entry->is_dead;
}

bool sim_handle_use(const void *object, enum sim_kind kind)
{
	const struct entry *entry = find(object);

	if (entry && entry->kind == kind && entry->is_dead)
		(void)*poison;
	return sim_handle_is(object, kind);
}
