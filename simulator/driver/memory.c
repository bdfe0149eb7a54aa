/* The table of live allocations, sorted by address. */
#include "simulator/driver/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/graph_memory.h"
#include "simulator/driver/notes.h"
#include "simulator/driver/range.h"

static struct sim_alloc **table; /* owned; ascending bases, disjoint ranges */
static size_t count;
static size_t capacity;

bool sim_memory_init(void)
{
	return sim_range_init();
}

/* The first entry whose base lies above the address. */
static size_t upper_bound(uintptr_t address)
{
	size_t low = 0, high = count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (table[middle]->base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct sim_alloc *sim_memory_find(uintptr_t address)
{
	size_t at = upper_bound(address);

	if (!at || address - table[at - 1]->base >= table[at - 1]->size_bytes)
		return NULL;
	return table[at - 1];
}

struct sim_alloc *sim_memory_find_id(uint64_t id)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (table[i]->id == id)
			return table[i];
	return NULL;
}

struct sim_alloc *sim_memory_find_import(uint64_t file)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (table[i]->opens && table[i]->file == file)
			return table[i];
	return NULL;
}

static bool is_accessible(const struct sim_alloc *alloc, bool is_write)
{
	return !alloc->physical || (is_write ? alloc->writers : alloc->readers) != 0;
}

bool sim_memory_covers(const struct sim_alloc *alloc, uintptr_t address, size_t size_bytes,
		       bool is_write)
{
	const struct sim_backing *backing = alloc->backing;
	size_t left = alloc->size_bytes - (address - alloc->base);

	while (size_bytes > left) {
		if (!alloc->physical || !is_accessible(alloc, is_write))
			return false;
		size_bytes -= left;
		alloc = sim_memory_find(alloc->base + alloc->size_bytes);
		if (!alloc || alloc->backing != backing)
			return false;
		left = alloc->size_bytes;
	}
	return is_accessible(alloc, is_write);
}

bool sim_memory_overlaps(uintptr_t address, size_t size_bytes)
{
	size_t at = upper_bound(address);

	if (sim_memory_find(address))
		return true;
	return at < count && table[at]->base - address < size_bytes;
}

static bool insert(struct sim_alloc *alloc)
{
	size_t at = upper_bound(alloc->base);
	struct sim_alloc **grown;

	if (count == capacity) {
		grown = realloc(table, (capacity + 256) * sizeof(*table));
		if (!grown)
			return false;
		table = grown;
		capacity += 256;
	}
	memmove(&table[at + 1], &table[at], (count - at) * sizeof(*table));
	table[at] = alloc;
	count++;
	return true;
}

struct sim_alloc *sim_memory_add(struct sim_alloc initial)
{
	struct sim_alloc *alloc = malloc(sizeof(*alloc));

	if (alloc)
		*alloc = initial;
	if (!alloc || !insert(alloc)) {
		sim_backing_put(initial.backing);
		free(alloc);
		return NULL;
	}
	alloc->refs = 1;
	alloc->id = sim_next_id();
	sim_notes_name(
		(struct sc_sim_note){.kind = SC_NOTE_MEMORY,
				     .number = {0, alloc->id, alloc->base, alloc->size_bytes}},
		"");
	if (alloc->device)
		alloc->device->used_bytes += alloc->size_bytes;
	return alloc;
}

CUresult sim_memory_new_device(struct sim_device *device, size_t size_bytes,
			       struct sim_alloc **alloc)
{
	struct sim_backing *backing;
	uintptr_t base;

	if (!size_bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_device_has_room(device, size_bytes))
		return CUDA_ERROR_OUT_OF_MEMORY;
	base = sim_range_take(size_bytes);
	if (!base)
		return CUDA_ERROR_OUT_OF_MEMORY;
	backing = sim_backing_new_device(size_bytes, base);
	*alloc = NULL;
	if (backing)
		*alloc = sim_memory_add((struct sim_alloc){.place = SIM_PLACE_DEVICE,
							   .base = base,
							   .size_bytes = size_bytes,
							   .device = device,
							   .backing = backing});
	if (!*alloc) {
		sim_range_give(base, size_bytes);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	return CUDA_SUCCESS;
}

void sim_memory_remove(struct sim_alloc *alloc)
{
	size_t at = upper_bound(alloc->base);

	count--;
	memmove(&table[at - 1], &table[at], (count - at + 1) * sizeof(*table));
	sim_memory_put(alloc);
}

void sim_memory_get(struct sim_alloc *alloc)
{
	alloc->refs++;
}

/* The host sees nothing of another file there any more. */
static void give_address(const struct sim_alloc *alloc)
{
	if (!alloc->backing->is_of_range)
		sim_range_hide(alloc->base, alloc->size_bytes);
	sim_range_give(alloc->base, alloc->size_bytes);
}

/* The address stays with the graph. */
static void release_graph_memory(struct sim_alloc *alloc)
{
	alloc->device->graph_used_bytes -= alloc->size_bytes;
	sim_graph_memory_put(alloc->graph_memory);
}

void sim_memory_put(struct sim_alloc *alloc)
{
	sc_assert(!alloc || alloc->refs > 0);
	if (!alloc || --alloc->refs)
		return;
	if (alloc->device && !alloc->is_recycled)
		alloc->device->used_bytes -= alloc->size_bytes;
	if (alloc->graph_memory)
		release_graph_memory(alloc);
	else if (alloc->place == SIM_PLACE_DEVICE && !alloc->is_recycled)
		give_address(alloc);
	sim_backing_put(alloc->backing);
	free(alloc->advice);
	free(alloc);
}

void sim_memory_move_context(CUcontext from, CUcontext to)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (table[i]->context == from)
			table[i]->context = to;
}

void sim_memory_remove_context(CUcontext context)
{
	size_t i = count;

	while (i-- > 0)
		if (table[i]->context == context)
			sim_memory_remove(table[i]);
}
