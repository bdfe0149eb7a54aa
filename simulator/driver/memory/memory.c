/* Live allocations, and those that end in the order of a stream. */
#include "simulator/driver/memory/memory.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/graph/graph_memory.h"
#include "simulator/driver/tool/notes.h"
#include "simulator/driver/memory/range.h"
#include "simulator/driver/schedule/pair.h"

static void *live; /* owned: a tree (tsearch) of struct sim_alloc, whose ranges are disjoint */
/* Ranges are disjoint or the same ones, which stand in the order in which they were freed. */
static struct {
	struct sim_alloc **items; /* owned; ascending bases */
	size_t count;
	size_t capacity;
} ending;

bool sim_memory_init(void)
{
	return sim_range_init();
}

/* Ranges that overlap are one. */
static int compare(const void *a, const void *b)
{
	const struct sim_alloc *x = a, *y = b;

	if (x->base + x->size_bytes <= y->base)
		return -1;
	return x->base >= y->base + y->size_bytes;
}

/* One that the range overlaps, or NULL. */
static struct sim_alloc *find_live(uintptr_t address, size_t size_bytes)
{
	struct sim_alloc range;
	void *const *node;

	range.base = address;
	range.size_bytes = size_bytes;
	node = tfind(&range, &live, compare);
	return node ? *node : NULL;
}

struct looking {
	bool (*is_it)(const struct sim_alloc *alloc, uint64_t number);
	uint64_t number;
	struct sim_alloc *found; /* the first one */
};

static void look(const void *node, VISIT visit, void *data)
{
	struct sim_alloc *alloc = *(struct sim_alloc *const *)node;
	struct looking *l = data;

	if ((visit == postorder || visit == leaf) && !l->found && l->is_it(alloc, l->number))
		l->found = alloc;
}

static struct sim_alloc *find_first(bool (*is_it)(const struct sim_alloc *, uint64_t),
				    uint64_t number)
{
	struct looking l = {is_it, number, NULL};

	twalk_r(live, look, &l);
	return l.found;
}

/* The first entry whose base lies above the address. */
static size_t upper_bound(uintptr_t address)
{
	size_t low = 0, high = ending.count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (ending.items[middle]->base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The place after the last entry that contains the address; 0: none does. */
static size_t after_last(uintptr_t address)
{
	size_t at = upper_bound(address);
	const struct sim_alloc *alloc = at ? ending.items[at - 1] : NULL;

	return alloc && address - alloc->base < alloc->size_bytes ? at : 0;
}

struct sim_alloc *sim_memory_find(uintptr_t address)
{
	return find_live(address, 1);
}

struct sim_alloc *sim_memory_find_for_kernel(uintptr_t address)
{
	size_t at = after_last(address);

	while (at > 1 && ending.items[at - 2]->base == ending.items[at - 1]->base)
		at--;
	return at ? ending.items[at - 1] : sim_memory_find(address);
}

static bool has_id(const struct sim_alloc *alloc, uint64_t id)
{
	return alloc->id == id;
}

struct sim_alloc *sim_memory_find_id(uint64_t id)
{
	return find_first(has_id, id);
}

static bool is_import(const struct sim_alloc *alloc, uint64_t file)
{
	return alloc->opens && alloc->file == file;
}

struct sim_alloc *sim_memory_find_import(uint64_t file)
{
	return find_first(is_import, file);
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
	return find_live(address, size_bytes ? size_bytes : 1) != NULL;
}

static bool insert_ending(struct sim_alloc *alloc)
{
	size_t at = upper_bound(alloc->base);
	struct sim_alloc **grown;

	if (ending.count == ending.capacity) {
		grown = realloc(ending.items, (ending.capacity + 256) * sizeof(*grown));
		if (!grown)
			return false;
		ending.items = grown;
		ending.capacity += 256;
	}
	memmove(&ending.items[at + 1], &ending.items[at],
		(ending.count - at) * sizeof(*ending.items));
	ending.items[at] = alloc;
	ending.count++;
	return true;
}

static void take_out(const struct sim_alloc *alloc)
{
	size_t at = upper_bound(alloc->base) - 1;

	while (ending.items[at] != alloc)
		at--;
	ending.count--;
	memmove(&ending.items[at], &ending.items[at + 1],
		(ending.count - at) * sizeof(*ending.items));
}

static bool insert_live(struct sim_alloc *alloc)
{
	void *const *node = tsearch(alloc, &live, compare);

	sc_assert(!node || *node == alloc);
	return node;
}

struct sim_alloc *sim_memory_add(struct sim_alloc initial)
{
	struct sim_alloc *alloc = malloc(sizeof(*alloc));

	if (alloc)
		*alloc = initial;
	if (!alloc || !insert_live(alloc)) {
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
	tdelete(alloc, &live, compare);
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
}

/* The next launch of a graph has the memory again, and is charged for it. */
bool sim_memory_retire(struct sim_alloc *alloc)
{
	if (!insert_ending(alloc))
		return false;
	tdelete(alloc, &live, compare);
	if (alloc->graph_memory) {
		discharge(alloc);
		alloc->is_recycled = true;
	}
	return true;
}

void sim_memory_end(struct sim_alloc *alloc)
{
	take_out(alloc);
	sim_memory_put(alloc);
}

void sim_memory_put(struct sim_alloc *alloc)
{
	sc_assert(!alloc || alloc->refs > 0);
	if (!alloc || --alloc->refs)
		return;
	sim_pair_leave(alloc);
	discharge(alloc);
	if (alloc->graph_memory) /* the address stays with the graph */
		sim_graph_memory_put(alloc->graph_memory);
	else if (alloc->place == SIM_PLACE_DEVICE && !alloc->is_recycled)
		give_address(alloc);
	sim_backing_put(alloc->backing);
	free(alloc->advice);
	free(alloc);
}

struct moving {
	CUcontext from, to;
};

static void move(const void *node, VISIT visit, void *data)
{
	struct sim_alloc *alloc = *(struct sim_alloc *const *)node;
	const struct moving *m = data;

	if ((visit == postorder || visit == leaf) && alloc->context == m->from)
		alloc->context = m->to;
}

void sim_memory_move_context(CUcontext from, CUcontext to)
{
	struct moving m = {from, to};

	twalk_r(live, move, &m);
}

struct leaving {
	CUcontext context;
	struct sim_alloc *first; /* linked by `next` */
};

static void leave(const void *node, VISIT visit, void *data)
{
	struct sim_alloc *alloc = *(struct sim_alloc *const *)node;
	struct leaving *l = data;

	if ((visit != postorder && visit != leaf) || alloc->context != l->context)
		return;
	alloc->next = l->first;
	l->first = alloc;
}

void sim_memory_remove_context(CUcontext context)
{
	struct leaving l = {.context = context};

	twalk_r(live, leave, &l);
	while (l.first) {
		struct sim_alloc *alloc = l.first;

		l.first = alloc->next;
		sim_memory_remove(alloc);
	}
}
