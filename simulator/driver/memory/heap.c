/* The device's heap: a table of blocks, in units of 16 bytes.
 *
 * The first unit of a block is before the address that the kernel gets. It has no use here, but
 * nvcc's `new T[n]` writes n there: 8 bytes before what malloc returned, where T has a constructor
 * and no destructor.
 */
#include "simulator/driver/memory/heap.h"

#include <stdlib.h>

#define UNIT   16
#define MOST   ((size_t)16 << 30) /* bytes; units are numbered by 32 bits less one */
#define IN_USE UINT32_C(0x80000000)

struct sim_heap {
	uint64_t base;
	uint32_t count;	   /* of units */
	uint32_t next;	   /* the block at which the next search begins */
	uint32_t too_many; /* since the last release there is no room for so many units */
	uint32_t sizes[];  /* units of each block, at its first one, perhaps IN_USE */
};

struct sim_heap *sim_heap_new(uint64_t base, size_t size_bytes)
{
	struct sim_heap *heap;

	if (size_bytes < UNIT || size_bytes > MOST)
		return NULL;
	heap = calloc(1, sizeof(*heap) + size_bytes / UNIT * sizeof(*heap->sizes));
	if (!heap)
		return NULL;
	heap->base = base;
	heap->count = (uint32_t)(size_bytes / UNIT);
	heap->sizes[0] = heap->count;
	heap->too_many = UINT32_MAX;
	return heap;
}

void sim_heap_free(struct sim_heap *heap)
{
	free(heap);
}

/* Makes one block of a free one and the free ones after it. */
static uint32_t merge(struct sim_heap *heap, uint32_t at)
{
	uint32_t end = at + heap->sizes[at];

	while (end < heap->count && !(heap->sizes[end] & IN_USE))
		end += heap->sizes[end];
	if (heap->next > at && heap->next < end)
		heap->next = at;
	heap->sizes[at] = end - at;
	return end - at;
}

/* The first free block with so many units from `from` to `to`; `to` is where none is. */
static uint32_t search(struct sim_heap *heap, uint32_t from, uint32_t to, uint32_t units)
{
	uint32_t at = from;

	while (at < to) {
		if (!(heap->sizes[at] & IN_USE) && merge(heap, at) >= units)
			return at;
		at += heap->sizes[at] & ~IN_USE;
	}
	return to;
}

static bool take(struct sim_heap *heap, uint32_t units, uint32_t *at)
{
	uint32_t rest;

	if (units >= heap->too_many)
		return false;
	*at = search(heap, heap->next, heap->count, units);
	if (*at == heap->count) {
		heap->next = 0;
		*at = search(heap, 0, heap->count, units);
	}
	if (*at == heap->count) {
		heap->too_many = units;
		return false;
	}
	rest = heap->sizes[*at] - units;
	heap->sizes[*at] = units | IN_USE;
	heap->next = *at + units < heap->count ? *at + units : 0;
	if (rest)
		heap->sizes[*at + units] = rest;
	return true;
}

uint64_t sim_heap_take(struct sim_heap *heap, uint64_t bytes)
{
	uint64_t units = bytes ? (bytes - 1) / UNIT + 2 : 2;
	uint32_t at;

	if (units >= IN_USE || !take(heap, (uint32_t)units, &at))
		return 0;
	return heap->base + ((uint64_t)at + 1) * UNIT;
}

/* The sizes of former blocks that the table has inside of others are none of blocks in use. */
bool sim_heap_give(struct sim_heap *heap, uint64_t address)
{
	uint64_t offset = address - heap->base - UNIT, at = offset / UNIT;

	if (offset % UNIT || at >= heap->count || !(heap->sizes[at] & IN_USE))
		return false;
	heap->sizes[at] &= ~IN_USE;
	heap->too_many = UINT32_MAX;
	if (at < heap->next)
		heap->next = (uint32_t)at;
	return true;
}
