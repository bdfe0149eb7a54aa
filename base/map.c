/* Map: a hash map from a number to a number. */
#include "base/map.h"

#include <stdlib.h>
#include <sys/auxv.h>
#include <string.h>
#include "base/assert.h"
#include "base/heap.h"

#define FIRST_PLACES 16

/* Sixteen random bytes that the kernel gives each process. */
static uint64_t secret(void)
{
	const void *bytes = (const void *)getauxval(AT_RANDOM);
	uint64_t value = UINT64_C(0x9E3779B97F4A7C15);

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

static size_t place_of(uint64_t key)
{
	static uint64_t cached;
	uint64_t seed = __atomic_load_n(&cached, __ATOMIC_RELAXED);
	uint64_t x;

	if (!seed) {
		seed = secret() | 1;
		__atomic_store_n(&cached, seed, __ATOMIC_RELAXED);
	}
	x = (key ^ seed) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 31) ^ seed) * UINT64_C(0x94D049BB133111EB);
	return (size_t)(x ^ (x >> 29));
}

/* The place of the key, or the empty place where it belongs. */
static struct sc_map_entry *probe(const struct sc_u64_map *m, uint64_t key)
{
	size_t place = place_of(key) & m->mask;

	sc_assert(m->count <= m->mask); /* else it would go around for ever */
	while (m->entries[place].key_plus && m->entries[place].key_plus != key + 1)
		place = (place + 1) & m->mask;
	return &m->entries[place];
}

static void move_to(struct sc_u64_map *m, size_t more)
{
	struct sc_map_entry *old = m->entries;
	size_t places = old ? m->mask + 1 : 0;

	m->entries = sc_heap_xcalloc(more, sizeof(*m->entries));
	m->mask = more - 1;
	for (size_t i = 0; i < places; i++)
		if (old[i].key_plus)
			*probe(m, old[i].key_plus - 1) = old[i];
	free(old);
}

static void grow(struct sc_u64_map *m)
{
	move_to(m, m->entries ? (m->mask + 1) * 2 : FIRST_PLACES);
}

void sc_u64_map_reserve(struct sc_u64_map *m, size_t entries)
{
	size_t more = FIRST_PLACES;

	while (more / 2 < entries)
		more *= 2;
	if (!m->entries || m->mask + 1 < more)
		move_to(m, more);
}

void sc_u64_map_fini(struct sc_u64_map *m)
{
	free(m->entries);
	*m = (struct sc_u64_map){0};
}

uint64_t *sc_u64_map_find(const struct sc_u64_map *m, uint64_t key)
{
	struct sc_map_entry *entry;

	if (key == UINT64_MAX)
		return m->last_used ? (uint64_t *)&m->last : NULL;
	if (!m->entries)
		return NULL;
	entry = probe(m, key);
	return entry->key_plus ? &entry->value : NULL;
}

uint64_t *sc_u64_map_get(struct sc_u64_map *m, uint64_t key)
{
	struct sc_map_entry *entry;

	if (key == UINT64_MAX) {
		m->last_used = 1;
		return &m->last;
	}
	if (!m->entries || m->count > m->mask / 2)
		grow(m);
	entry = probe(m, key);
	if (!entry->key_plus) {
		entry->key_plus = key + 1;
		m->count++;
	}
	return &entry->value;
}

/* Whether `place` lies behind `hole` and not behind `home`, going round: what belongs to `home` and
 * stands at `place` is found from `hole`, too. */
static bool may_move(size_t home, size_t hole, size_t place, size_t mask)
{
	return ((place - home) & mask) >= ((place - hole) & mask);
}

/* Entries after the hole that would not be found any more move into it. */
void sc_u64_map_remove(struct sc_u64_map *m, uint64_t key)
{
	struct sc_map_entry *entries = m->entries;
	size_t hole, place;

	if (key == UINT64_MAX) {
		m->last = 0;
		m->last_used = 0;
		return;
	}
	if (!sc_u64_map_find(m, key))
		return;
	hole = place = (size_t)(probe(m, key) - entries);
	while (place = (place + 1) & m->mask, entries[place].key_plus) {
		size_t home = place_of(entries[place].key_plus - 1) & m->mask;

		if (!may_move(home, hole, place, m->mask))
			continue;
		entries[hole] = entries[place];
		hole = place;
	}
	entries[hole] = (struct sc_map_entry){0};
	m->count--;
}
