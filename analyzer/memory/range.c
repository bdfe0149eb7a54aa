/* Ranges: sorted arrays of a limited size, in a sorted array. */
#include "analyzer/memory/range.h"

#include <stdlib.h>
#include <string.h>
#include "base/vector.h"
#include "base/assert.h"

/* Number of slots that start at the address or below. */
static uint32_t slots_up_to(const struct sc_range_chunk *c, uint64_t address)
{
	const struct sc_range_slot *base = c->slots;
	uint32_t n = c->count;

	while (n > 1) {
		uint32_t half = n / 2;

		base += base[half].start <= address ? half : 0;
		n -= half;
	}
	return (uint32_t)(base - c->slots) + (n && base->start <= address);
}

/* Index of the last chunk that starts at the address or below, or of the first. */
static size_t chunk_at(const struct sc_ranges *set, uint64_t address)
{
	size_t low = 0, high = set->chunk_count;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (set->chunks[middle].slots[0].start <= address)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static const struct sc_range_chunk *chunk_of(const struct sc_ranges *set, uint64_t address)
{
	return set->chunks ? &set->chunks[chunk_at(set, address)] : &set->only;
}

struct sc_range *sc_ranges_at(const struct sc_ranges *set, uint64_t address)
{
	const struct sc_range_chunk *c = chunk_of(set, address);
	uint32_t n = slots_up_to(c, address);
	struct sc_range *r = n ? c->slots[n - 1].range : NULL;

	return r && r->end > address ? r : NULL;
}

struct sc_range *sc_ranges_from(const struct sc_ranges *set, uint64_t address)
{
	const struct sc_range_chunk *c = chunk_of(set, address);
	uint32_t n = slots_up_to(c, address);

	if (n && c->slots[n - 1].range->end > address)
		return c->slots[n - 1].range;
	if (n < c->count)
		return c->slots[n].range;
	if (set->chunks && c + 1 < set->chunks + set->chunk_count)
		return c[1].slots[0].range;
	return NULL;
}

struct sc_range *sc_ranges_last(const struct sc_ranges *set)
{
	const struct sc_range_chunk *c = chunk_of(set, UINT64_MAX);

	return c->count ? c->slots[c->count - 1].range : NULL;
}

static void reserve(struct sc_range_chunk *c, uint32_t count)
{
	size_t room = c->room;

	if (count <= room)
		return;
	c->slots = sc_vector_grown(c->slots, c->count, &room, count - c->count, sizeof(*c->slots));
	c->room = (uint32_t)room;
}

/* A full chunk becomes two; the new one is put after it. */
static void split(struct sc_ranges *set, size_t index)
{
	struct sc_range_chunk *low, high = {0};

	sc_assert(index < set->chunk_count && set->chunks[index].count == SC_RANGE_CHUNK);
	if (set->chunk_count == set->chunk_room)
		set->chunks = sc_vector_grown(set->chunks, set->chunk_count, &set->chunk_room, 1,
					      sizeof(*set->chunks));
	low = &set->chunks[index];
	high.count = low->count / 2;
	reserve(&high, SC_RANGE_CHUNK);
	low->count -= high.count;
	memcpy(high.slots, low->slots + low->count, high.count * sizeof(*high.slots));
	memmove(low + 2, low + 1, (set->chunk_count - index - 1) * sizeof(*low));
	low[1] = high;
	set->chunk_count++;
}

static struct sc_range_chunk *chunk_with_room(struct sc_ranges *set, uint64_t start)
{
	struct sc_range_chunk *c = (struct sc_range_chunk *)chunk_of(set, start);

	if (c->count < SC_RANGE_CHUNK)
		return c;
	if (!set->chunks) {
		set->chunks = sc_vector_grown(NULL, 0, &set->chunk_room, 1, sizeof(*set->chunks));
		set->chunks[0] = set->only;
		set->chunk_count = 1;
		set->only = (struct sc_range_chunk){0};
	}
	split(set, chunk_at(set, start));
	return (struct sc_range_chunk *)chunk_of(set, start);
}

void sc_ranges_insert(struct sc_ranges *set, struct sc_range *r)
{
	struct sc_range_chunk *c = chunk_with_room(set, r->start);
	uint32_t n = slots_up_to(c, r->start);

	sc_assert(r->start < r->end);
	sc_assert(!n || c->slots[n - 1].range->end <= r->start);
	sc_assert(n == c->count || r->end <= c->slots[n].start);
	reserve(c, c->count + 1);
	memmove(c->slots + n + 1, c->slots + n, (c->count - n) * sizeof(*c->slots));
	c->slots[n] = (struct sc_range_slot){r->start, r};
	c->count++;
	set->count++;
	sc_assert(c->count <= SC_RANGE_CHUNK);
}

static void drop_chunk(struct sc_ranges *set, size_t index)
{
	struct sc_range_chunk *c = &set->chunks[index];

	free(c->slots);
	memmove(c, c + 1, (set->chunk_count - index - 1) * sizeof(*c));
	if (--set->chunk_count)
		return;
	free(set->chunks);
	*set = (struct sc_ranges){0};
}

void sc_ranges_remove(struct sc_ranges *set, struct sc_range *r)
{
	struct sc_range_chunk *c = (struct sc_range_chunk *)chunk_of(set, r->start);
	uint32_t n = slots_up_to(c, r->start);

	sc_assert(n && c->slots[n - 1].range == r && c->slots[n - 1].start == r->start);
	memmove(c->slots + n - 1, c->slots + n, (c->count - n) * sizeof(*c->slots));
	sc_assert(set->count > 0);
	set->count--;
	if (--c->count)
		return;
	if (set->chunks) {
		drop_chunk(set, (size_t)(c - set->chunks));
		return;
	}
	free(c->slots);
	*c = (struct sc_range_chunk){0};
}
