/* The cache of a kernel's footprints, by launch shape and the parameter bytes that matter. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "footprint/kernel.h"
#include "base/heap.h"

#define ENTRIES_MAX 65536 /* beyond that, footprints are worked out anew */
#define SHAPE_WORDS 7

struct sc_cache_entry {
	uint64_t hash;
	struct sc_footprint footprint;
	uint32_t shape[SHAPE_WORDS];
	uint64_t key[]; /* numbers, part after part */
};

static void read_shape(const struct sc_footprint_launch *launch, uint32_t *shape)
{
	memcpy(shape, launch->grid, sizeof(launch->grid));
	memcpy(shape + 3, launch->block, sizeof(launch->block));
	shape[6] = launch->shared_bytes;
}

static bool covers_key(const struct sc_footprint_kernel *k,
		       const struct sc_footprint_launch *launch)
{
	for (size_t i = 0; i < k->key.count; i++)
		if (k->key.items[i].offset > launch->param_bytes ||
		    k->key.items[i].bytes > launch->param_bytes - k->key.items[i].offset)
			return 0;
	return 1;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t read_part(const struct sc_key_part *part, const struct sc_footprint_launch *launch)
{
	uint64_t number = 0;

	memcpy(&number, (const char *)launch->params + part->offset, part->bytes);
	return number & part->mask;
}

static uint64_t hash_of(const struct sc_footprint_kernel *k,
			const struct sc_footprint_launch *launch, const uint32_t *shape)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < SHAPE_WORDS; i++)
		hash = mix(hash, shape[i]);
	for (size_t i = 0; i < k->key.count; i++)
		hash = mix(hash, read_part(&k->key.items[i], launch));
	return hash;
}

static bool matches(const struct sc_footprint_kernel *k, const struct sc_cache_entry *entry,
		    const struct sc_footprint_launch *launch, const uint32_t *shape)
{
	if (memcmp(entry->shape, shape, sizeof(entry->shape)))
		return 0;
	for (size_t i = 0; i < k->key.count; i++)
		if (entry->key[i] != read_part(&k->key.items[i], launch))
			return 0;
	return 1;
}

static struct sc_cache_entry **find(const struct sc_footprint_kernel *k, uint64_t hash,
				    const struct sc_footprint_launch *launch, const uint32_t *shape)
{
	size_t at = hash & (k->cache_room - 1);

	while (k->cache[at] &&
	       (k->cache[at]->hash != hash || !matches(k, k->cache[at], launch, shape)))
		at = (at + 1) & (k->cache_room - 1);
	return &k->cache[at];
}

static void grow(struct sc_footprint_kernel *k)
{
	struct sc_cache_entry **old = k->cache;
	size_t room = k->cache_room;

	k->cache_room = room ? room * 2 : 8;
	k->cache = sc_heap_xcalloc(k->cache_room, sizeof(struct sc_cache_entry *));
	for (size_t i = 0; i < room; i++) {
		size_t at;

		if (!old[i])
			continue;
		at = old[i]->hash & (k->cache_room - 1);
		while (k->cache[at])
			at = (at + 1) & (k->cache_room - 1);
		k->cache[at] = old[i];
	}
	free(old);
}

static struct sc_footprint evaluate(struct sc_footprint_kernel *k,
				    const struct sc_footprint_launch *launch)
{
	sc_range_list list = {0};
	struct sc_footprint f = {.is_exact = 1};

	sc_evaluate_launch(k, launch, &list);
	sc_ranges_tidy(&list);
	f.count = list.count;
	f.ranges = sc_arena_xcopy(&k->module->arena, list.items ? (void *)list.items : "",
				  list.count * sizeof(*list.items));
	for (size_t i = 0; i < list.count; i++)
		f.is_exact &= !list.items[i].reason;
	sc_vector_fini(&list);
	return f;
}

static struct sc_cache_entry *make_entry(struct sc_footprint_kernel *k, uint64_t hash,
					 const struct sc_footprint_launch *launch,
					 const uint32_t *shape)
{
	struct sc_cache_entry *entry = sc_arena_xalloc(
		&k->module->arena, 1, sizeof(*entry) + k->key.count * sizeof(*entry->key));

	entry->hash = hash;
	memcpy(entry->shape, shape, sizeof(entry->shape));
	for (size_t i = 0; i < k->key.count; i++)
		entry->key[i] = read_part(&k->key.items[i], launch);
	entry->footprint = evaluate(k, launch);
	return entry;
}

static struct sc_footprint look_up(struct sc_footprint_kernel *k,
				   const struct sc_footprint_launch *launch)
{
	uint32_t shape[SHAPE_WORDS];
	struct sc_cache_entry **place;
	uint64_t hash;

	sc_kernel_analyze(k);
	read_shape(launch, shape);
	if (!covers_key(k, launch) || k->cache_count >= ENTRIES_MAX)
		return evaluate(k, launch);
	hash = hash_of(k, launch, shape);
	if (k->cache_count * 2 >= k->cache_room)
		grow(k);
	place = find(k, hash, launch, shape);
	if (!*place) {
		*place = make_entry(k, hash, launch, shape);
		k->cache_count++;
	}
	return (*place)->footprint;
}

struct sc_footprint sc_footprint_of(struct sc_footprint_kernel *k,
				    const struct sc_footprint_launch *launch)
{
	struct sc_footprint_launch as_run = *launch;

	sc_ptx_block(&k->module->ptx, k->function, as_run.block);
	return look_up(k, &as_run);
}

void sc_cache_fini(struct sc_footprint_kernel *k)
{
	free(k->cache);
}
