/* Addresses of graph memory, and the allocations that come and go with launches. */
#include "simulator/driver/graph/graph_memory.h"

#include <stdlib.h>

#include "base/assert.h"
#include "simulator/driver/api.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/memory/range.h"

static struct sim_graph_memory *memories; /* borrowed; linked by `next` */

/* A node that allocates no bytes has an address of its own all the same, which a node may free. */
static size_t round_up(size_t size_bytes)
{
	size_bytes += !size_bytes;
	return (size_bytes + SIM_RANGE_ALIGNMENT - 1) & ~(size_t)(SIM_RANGE_ALIGNMENT - 1);
}

static bool take_address(struct sim_graph_memory *memory)
{
	if (memory->place == SIM_PLACE_DEVICE)
		return (memory->base = sim_range_take(memory->size_bytes)) != 0;
	memory->for_good = sim_backing_new_shared(memory->size_bytes, NULL);
	memory->base = memory->for_good ? (uintptr_t)memory->for_good->host : 0;
	return memory->base != 0;
}

/* A new address for that many bytes; NULL when there is none left. */
static struct sim_graph_memory *new_memory(struct sim_device *device, enum sim_place place,
					   size_t size_bytes)
{
	struct sim_graph_memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return NULL;
	memory->refs = 1;
	memory->device = device;
	memory->place = place;
	memory->size_bytes = round_up(size_bytes);
	if (memory->size_bytes < size_bytes || size_bytes > device->total_bytes)
		memory->size_bytes = 0;
	if (!memory->size_bytes || !take_address(memory)) {
		free(memory);
		return NULL;
	}
	memory->next = memories;
	memories = memory;
	return memory;
}

static bool frees(const struct CUgraphNode_st *node)
{
	return node->type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

/* Marks what comes before the node; nodes are mostly in order, so one pass is mostly enough. */
static void mark_before(CUgraphNode last)
{
	CUgraph graph = last->graph;
	bool changed = true;
	size_t i, j;

	for (i = 0; i < graph->count; i++)
		graph->nodes[i]->index = graph->nodes[i] == last;
	while (changed) {
		changed = false;
		for (i = graph->count; i-- > 0;) {
			const struct sim_edges *before = &graph->nodes[i]->before;

			for (j = 0; graph->nodes[i]->index && j < before->count; j++) {
				changed |= !before->nodes[j]->index;
				before->nodes[j]->index = 1;
			}
		}
	}
}

/* The memory that the graph freed last before the node, if nobody took it since. */
static struct sim_graph_memory *find_spare(CUgraphNode node, const struct sim_device *device,
					   enum sim_place place, size_t size_bytes)
{
	CUgraph graph = node->graph;
	size_t i;

	for (i = graph->count; i-- > 0;) {
		struct sim_graph_memory *memory = graph->nodes[i]->memory;

		if (frees(graph->nodes[i]) && graph->nodes[i]->index && memory &&
		    memory->owner == graph && memory->last_free == graph->nodes[i] &&
		    memory->device == device && memory->place == place &&
		    memory->size_bytes == round_up(size_bytes))
			return memory;
	}
	return NULL;
}

bool sim_graph_memory_give(CUgraphNode node, struct sim_device *device, enum sim_place place,
			   size_t size_bytes)
{
	struct sim_graph_memory *spare;

	sc_assert(node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC);
	mark_before(node);
	spare = find_spare(node, device, place, size_bytes);
	if (spare) {
		spare->freed_by = NULL;
		spare->last_free = NULL;
		node->memory = sim_graph_memory_get(spare);
		return true;
	}
	node->memory = new_memory(device, place, size_bytes);
	if (node->memory)
		node->memory->owner = node->graph;
	return node->memory != NULL;
}

struct sim_graph_memory *sim_graph_memory_again(struct sim_graph_memory *memory,
						const struct sim_device *device, size_t size_bytes)
{
	if (memory->device != device || memory->place != SIM_PLACE_DEVICE ||
	    memory->size_bytes != round_up(size_bytes))
		return NULL;
	return sim_graph_memory_get(memory);
}

static void use(struct sim_graph_memory *memory)
{
	struct sim_device *device = memory->device;
	uint64_t spare = device->graph_spare_bytes;

	if (memory->is_used)
		return;
	memory->is_used = true;
	spare = spare < memory->size_bytes ? spare : memory->size_bytes;
	device->graph_spare_bytes -= spare;
	device->graph_used.current += memory->size_bytes - spare;
	if (device->graph_used.high < device->graph_used.current)
		device->graph_used.high = device->graph_used.current;
	if (device->graph_reserved.current < device->graph_used.current)
		device->graph_reserved.current = device->graph_used.current;
	if (device->graph_reserved.high < device->graph_reserved.current)
		device->graph_reserved.high = device->graph_reserved.current;
}

/* Its bytes stay counted until a trim. */
static void spare(struct sim_graph_memory *memory)
{
	if (memory->is_used)
		memory->device->graph_spare_bytes += memory->size_bytes;
	memory->is_used = false;
}

struct sim_graph_memory *sim_graph_memory_get(struct sim_graph_memory *memory)
{
	memory->refs++;
	return memory;
}

void sim_graph_memory_put(struct sim_graph_memory *memory)
{
	struct sim_graph_memory **link = &memories;

	sc_assert(!memory || memory->refs > 0);
	if (!memory || --memory->refs)
		return;
	while (*link && *link != memory)
		link = &(*link)->next;
	if (*link)
		*link = memory->next;
	spare(memory);
	if (memory->for_good)
		sim_backing_put(memory->for_good);
	else
		sim_range_give(memory->base, memory->size_bytes);
	free(memory);
}

struct sim_graph_memory *sim_graph_memory_around(CUdeviceptr address)
{
	struct sim_graph_memory *memory = memories;

	while (memory && address - memory->base >= memory->size_bytes)
		memory = memory->next;
	return memory;
}

struct sim_graph_memory *sim_graph_memory_find(CUdeviceptr address)
{
	struct sim_graph_memory *memory = sim_graph_memory_around(address);

	return memory && memory->base == address ? memory : NULL;
}

CUresult sim_graph_memory_check_free(const struct sim_graph_memory *memory, CUgraph graph)
{
	if (memory->freed_by == graph ||
	    (memory->freed_by && (graph == memory->owner || memory->freed_by == memory->owner)))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

void sim_graph_memory_take_free(CUgraphNode node, struct sim_graph_memory *memory)
{
	sc_assert(frees(node));
	node->memory = sim_graph_memory_get(memory);
	memory->freed_by = node->graph;
	memory->last_free = node;
}

static struct sim_alloc *find_live(const struct sim_graph_memory *memory)
{
	struct sim_alloc *alloc = sim_memory_find(memory->base);

	return alloc && alloc->graph_memory == memory ? alloc : NULL;
}

static bool is_alloc(CUgraph graph, size_t index)
{
	return graph->nodes[index]->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC;
}

CUresult sim_graph_memory_check_instance(CUgraph graph)
{
	size_t i;

	for (i = 0; i < graph->count; i++)
		if (is_alloc(graph, i) && graph->nodes[i]->memory->is_instantiated)
			return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

void sim_graph_memory_mark_instance(CUgraph graph, bool exists)
{
	size_t i;

	for (i = 0; i < graph->count; i++)
		if (is_alloc(graph, i))
			graph->nodes[i]->memory->is_instantiated = exists;
}

static CUresult make_live(struct sim_graph_memory *memory)
{
	struct sim_device *device = memory->device;
	struct sim_alloc initial = {.place = memory->place,
				    .base = memory->base,
				    .size_bytes = memory->size_bytes,
				    .device = device,
				    .flags = memory->for_good ? CU_MEM_ATTACH_GLOBAL : 0,
				    .backing = memory->for_good,
				    .graph_memory = memory};

	if (find_live(memory)) /* another node of the launch had it before */
		return CUDA_SUCCESS;
	if (!sim_device_has_room(device, memory->size_bytes))
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (memory->for_good)
		sim_backing_get(memory->for_good);
	else
		initial.backing = sim_backing_new_device_again(memory->size_bytes, memory->base);
	if (!initial.backing || !sim_memory_add(initial)) /* takes the backing, also on failure */
		return CUDA_ERROR_OUT_OF_MEMORY;
	sim_graph_memory_get(memory);
	use(memory);
	return CUDA_SUCCESS;
}

/* With the op; NULL: at once. */
static void end_live(struct sim_graph_memory *memory, struct sim_op *op)
{
	struct sim_alloc *alloc = find_live(memory);

	if (alloc)
		sim_op_end_memory(op, alloc);
}

/* Every node that frees needs an allocation, of this launch or of another graph's. */
static bool frees_are_live(CUgraph graph)
{
	size_t i;

	for (i = 0; i < graph->count; i++)
		if (graph->nodes[i]->type == CU_GRAPH_NODE_TYPE_MEM_FREE &&
		    !find_live(graph->nodes[i]->memory))
			return false;
	return true;
}

static bool has_leftover(CUgraph graph)
{
	size_t i;

	for (i = 0; i < graph->count; i++)
		if (is_alloc(graph, i) && find_live(graph->nodes[i]->memory))
			return true;
	return false;
}

static void end_all(CUgraph graph, struct sim_op *op)
{
	size_t i;

	for (i = 0; i < graph->count; i++)
		if (is_alloc(graph, i))
			end_live(graph->nodes[i]->memory, op);
}

void sim_graph_memory_undo_launch(CUgraph graph)
{
	end_all(graph, NULL);
}

CUresult sim_graph_memory_begin_launch(CUgraph graph, struct sim_op *before)
{
	CUresult result = CUDA_SUCCESS;
	size_t i;

	if (has_leftover(graph) && !before)
		return CUDA_ERROR_INVALID_VALUE;
	end_all(graph, before);
	for (i = 0; i < graph->count && result == CUDA_SUCCESS; i++)
		if (is_alloc(graph, i))
			result = make_live(graph->nodes[i]->memory);
	if (result == CUDA_SUCCESS && !frees_are_live(graph))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result != CUDA_SUCCESS)
		sim_graph_memory_undo_launch(graph);
	return result;
}

/* What is freed as often as it is allocated ends. */
void sim_graph_memory_end_launch(CUgraph graph, struct sim_op *last)
{
	size_t i;

	for (i = 0; i < graph->count; i++)
		if (is_alloc(graph, i))
			graph->nodes[i]->memory->left++;
		else if (frees(graph->nodes[i]))
			graph->nodes[i]->memory->left--;
	for (i = 0; i < graph->count; i++)
		if (frees(graph->nodes[i]) && graph->nodes[i]->memory->left <= 0)
			end_live(graph->nodes[i]->memory, last);
	for (i = 0; i < graph->count; i++)
		if (is_alloc(graph, i) || frees(graph->nodes[i]))
			graph->nodes[i]->memory->left = 0;
}

CUresult sim_cuDeviceGraphMemTrim(CUdevice device)
{
	struct sim_device *found = sim_device_get(device);
	struct sim_graph_memory *memory;

	if (!found)
		return CUDA_ERROR_INVALID_DEVICE;
	for (memory = memories; memory; memory = memory->next)
		if (memory->device == found && !find_live(memory))
			spare(memory);
	found->graph_used.current -= found->graph_spare_bytes;
	found->graph_spare_bytes = 0;
	found->graph_reserved.current = found->graph_used.current;
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
	const struct sim_device *found = sim_device_get(device);

	if (!found)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	switch ((int)attr) {
	case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
		*(cuuint64_t *)value = found->graph_used.current;
		return CUDA_SUCCESS;
	case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
		*(cuuint64_t *)value = found->graph_used.high;
		return CUDA_SUCCESS;
	case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
		*(cuuint64_t *)value = found->graph_reserved.current;
		return CUDA_SUCCESS;
	case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
		*(cuuint64_t *)value = found->graph_reserved.high;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

/* Only the high-water marks may be set, and only to 0, which means to the present value. */
CUresult sim_cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
	struct sim_device *found = sim_device_get(device);

	if (!found)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!value || *(const cuuint64_t *)value ||
	    (attr != CU_GRAPH_MEM_ATTR_USED_MEM_HIGH &&
	     attr != CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH))
		return CUDA_ERROR_INVALID_VALUE;
	if (attr == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)
		found->graph_used.high = found->graph_used.current;
	else
		found->graph_reserved.high = found->graph_reserved.current;
	return CUDA_SUCCESS;
}
