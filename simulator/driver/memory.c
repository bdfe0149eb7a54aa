/* The tables of live allocations, and of those that end in the order of a stream. */
#include "simulator/driver/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/graph_memory.h"
#include "simulator/driver/notes.h"
#include "simulator/driver/range.h"

struct table {
	struct sim_alloc **items; /* owned; ascending bases */
	size_t count;
	size_t capacity;
};

static struct table live; /* disjoint ranges */
/* Ranges are disjoint or the same ones, which stand in the order in which they were freed. */
static struct table ending;

bool sim_memory_init(void)
{
	return sim_range_init();
}

/* The first entry whose base lies above the address. */
static size_t upper_bound(const struct table *table, uintptr_t address)
{
	size_t low = 0, high = table->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (table->items[middle]->base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The place after the last entry that contains the address; 0: none does. */
static size_t after_last(const struct table *table, uintptr_t address)
{
	size_t at = upper_bound(table, address);
	const struct sim_alloc *alloc = at ? table->items[at - 1] : NULL;

	return alloc && address - alloc->base < alloc->size_bytes ? at : 0;
}

struct sim_alloc *sim_memory_find(uintptr_t address)
{
	size_t at = after_last(&live, address);

	return at ? live.items[at - 1] : NULL;
}

struct sim_alloc *sim_memory_find_for_kernel(uintptr_t address)
{
	size_t at = after_last(&ending, address);

	while (at > 1 && ending.items[at - 2]->base == ending.items[at - 1]->base)
		at--;
	return at ? ending.items[at - 1] : sim_memory_find(address);
}

struct sim_alloc *sim_memory_find_id(uint64_t id)
{
	size_t i;

	for (i = 0; i < live.count; i++)
		if (live.items[i]->id == id)
			return live.items[i];
	return NULL;
}

struct sim_alloc *sim_memory_find_import(uint64_t file)
{
	size_t i;

	for (i = 0; i < live.count; i++)
		if (live.items[i]->opens && live.items[i]->file == file)
			return live.items[i];
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
	size_t at = upper_bound(&live, address);

	if (sim_memory_find(address))
		return true;
	return at < live.count && live.items[at]->base - address < size_bytes;
}

static bool insert(struct table *table, struct sim_alloc *alloc)
{
	size_t at = upper_bound(table, alloc->base);
	struct sim_alloc **grown;

	if (table->count == table->capacity) {
		grown = realloc(table->items, (table->capacity + 256) * sizeof(*grown));
		if (!grown)
			return false;
		table->items = grown;
		table->capacity += 256;
	}
	memmove(&table->items[at + 1], &table->items[at],
		(table->count - at) * sizeof(*table->items));
	table->items[at] = alloc;
	table->count++;
	return true;
}

static void take_out(struct table *table, const struct sim_alloc *alloc)
{
	size_t at = upper_bound(table, alloc->base) - 1;

	while (table->items[at] != alloc)
		at--;
	table->count--;
	memmove(&table->items[at], &table->items[at + 1],
		(table->count - at) * sizeof(*table->items));
}

struct sim_alloc *sim_memory_add(struct sim_alloc initial)
{
	struct sim_alloc *alloc = malloc(sizeof(*alloc));

	if (alloc)
		*alloc = initial;
	if (!alloc || !insert(&live, alloc)) {
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
	take_out(&live, alloc);
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

static void discharge(const struct sim_alloc *alloc)
{
	if (!alloc->device || alloc->is_recycled)
		return;
	alloc->device->used_bytes -= alloc->size_bytes;
	if (alloc->graph_memory)
		alloc->device->graph_used_bytes -= alloc->size_bytes;
}

/* The next launch of a graph has the memory again, and is charged for it. */
bool sim_memory_retire(struct sim_alloc *alloc)
{
	if (!insert(&ending, alloc))
		return false;
	take_out(&live, alloc);
	if (alloc->graph_memory) {
		discharge(alloc);
		alloc->is_recycled = true;
	}
	return true;
}

void sim_memory_end(struct sim_alloc *alloc)
{
	take_out(&ending, alloc);
	sim_memory_put(alloc);
}

void sim_memory_put(struct sim_alloc *alloc)
{
	sc_assert(!alloc || alloc->refs > 0);
	if (!alloc || --alloc->refs)
		return;
	discharge(alloc);
	if (alloc->graph_memory) /* the address stays with the graph */
		sim_graph_memory_put(alloc->graph_memory);
	else if (alloc->place == SIM_PLACE_DEVICE && !alloc->is_recycled)
		give_address(alloc);
	sim_backing_put(alloc->backing);
	free(alloc->advice);
	free(alloc);
}

void sim_memory_move_context(CUcontext from, CUcontext to)
{
	size_t i;

	for (i = 0; i < live.count; i++)
		if (live.items[i]->context == from)
			live.items[i]->context = to;
}

void sim_memory_remove_context(CUcontext context)
{
	size_t i = live.count;

	while (i-- > 0)
		if (live.items[i]->context == context)
			sim_memory_remove(live.items[i]);
}
