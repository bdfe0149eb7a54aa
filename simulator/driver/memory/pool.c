/* Allocating from pools, and keeping freed memory for the next allocation. */
#include "simulator/driver/memory/pool.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/capture.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/graph/graph_capture.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/ipc/share.h"
#include "simulator/driver/memory/range.h"
#include "simulator/driver/schedule/schedule.h"
#include "simulator/driver/context/thread.h"

struct sim_block {
	uintptr_t base;
	size_t size_bytes;
	struct sim_backing *backing; /* counted */
	uint64_t stream_id;	     /* where it was freed */
	struct sim_op *freed;	     /* counted; the free's op */
	struct sim_block *next;
};

/* Pools that are no device's. */
struct standing {
	CUmemoryPool first, current;
};
static struct standing managed_pools, host_pools;

CUresult sim_pool_place(const CUmemLocation *location, CUmemAllocationType type,
			enum sim_place *place, struct sim_device **device)
{
	bool is_managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED;
	int ordinal = 0;

	if (!location || (!is_managed && type != CU_MEM_ALLOCATION_TYPE_PINNED))
		return CUDA_ERROR_INVALID_VALUE;
	if (is_managed && !sim_driver.shares_managed)
		return CUDA_ERROR_NOT_SUPPORTED;
	*place = is_managed ? SIM_PLACE_MANAGED : SIM_PLACE_PINNED;
	switch ((int)location->type) {
	case CU_MEM_LOCATION_TYPE_DEVICE:
	case CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN:
		if (!sim_device_of_location(location, &ordinal))
			return CUDA_ERROR_INVALID_VALUE;
		*place = is_managed ? SIM_PLACE_MANAGED : SIM_PLACE_DEVICE;
		break;
	case CU_MEM_LOCATION_TYPE_HOST:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA: break;
	case CU_MEM_LOCATION_TYPE_NONE:
		if (is_managed)
			break;
		return CUDA_ERROR_INVALID_VALUE;
	default: return CUDA_ERROR_INVALID_VALUE;
	}
	*device = sim_device_get(ordinal);
	return *device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/* The host's memory is for the host, until a device gets access (P-8). */
CUmemoryPool sim_pool_new(struct sim_device *device, enum sim_place place)
{
	CUmemoryPool pool = sim_handle_new(SIM_KIND_POOL, sizeof(*pool));
	int i;

	if (!pool)
		return NULL;
	pool->device = device;
	pool->place = place;
	pool->file = -1;
	pool->reuse[0] = pool->reuse[1] = pool->reuse[2] = 1;
	if (place == SIM_PLACE_DEVICE)
		pool->access[device->ordinal] = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	for (i = 0; place == SIM_PLACE_MANAGED && i < SIM_MAX_DEVICES; i++)
		pool->access[i] = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	return pool;
}

static CUmemoryPool *default_of(struct sim_device *device, enum sim_place place)
{
	if (place == SIM_PLACE_DEVICE)
		return &device->default_pool;
	return place == SIM_PLACE_MANAGED ? &managed_pools.first : &host_pools.first;
}

static CUmemoryPool *current_of(struct sim_device *device, enum sim_place place)
{
	if (place == SIM_PLACE_DEVICE)
		return &device->current_pool;
	return place == SIM_PLACE_MANAGED ? &managed_pools.current : &host_pools.current;
}

CUmemoryPool sim_pool_default(struct sim_device *device, enum sim_place place)
{
	CUmemoryPool *pool = default_of(device, place);

	if (!*pool) {
		*pool = sim_pool_new(device, place);
		if (*pool)
			(*pool)->is_default = true;
	}
	return *pool;
}

CUmemoryPool sim_pool_current(struct sim_device *device, enum sim_place place)
{
	CUmemoryPool current = *current_of(device, place);

	return current ? current : sim_pool_default(device, place);
}

void sim_pool_set_current(struct sim_device *device, enum sim_place place, CUmemoryPool pool)
{
	*current_of(device, place) = pool;
}

/* Whose memory it uses, NULL: the host's. */
static struct sim_device *charged(const struct CUmemPoolHandle_st *pool)
{
	return pool->place == SIM_PLACE_PINNED ? NULL : pool->device;
}

/* Gives a kept block back to the device or the host. */
static void release_block(CUmemoryPool pool, struct sim_block *block)
{
	pool->reserved_bytes -= block->size_bytes;
	if (charged(pool))
		pool->device->used_bytes -= block->size_bytes;
	if (pool->place == SIM_PLACE_DEVICE)
		sim_range_give(block->base, block->size_bytes);
	sim_backing_put(block->backing);
	sim_op_put(block->freed);
	free(block);
}

/* Releases blocks whose free has happened until the pool reserves no more than `keep`. */
static void trim(CUmemoryPool pool, uint64_t keep)
{
	struct sim_block **link = &pool->blocks, *block;

	while ((block = *link) && pool->reserved_bytes > keep) {
		if (!sim_op_is_done(block->freed)) {
			link = &block->next;
			continue;
		}
		*link = block->next;
		release_block(pool, block);
	}
}

/* Frees the device's destroyed pools that nothing uses any more. */
static void bury(struct sim_device *device)
{
	CUmemoryPool *link = &device->dying_pools, pool;

	while ((pool = *link)) {
		if (!pool->live_count)
			trim(pool, 0);
		if (pool->live_count || pool->blocks) {
			link = &pool->next;
			continue;
		}
		*link = pool->next;
		if (pool->file >= 0)
			close(pool->file);
		free(pool);
	}
}

/*
 * Reuse in the same stream at once, in others when the free is done: both follow from the order
 * that compliant programs keep (P-6), so no dependency is inserted.
 */
static struct sim_block *take_block(CUmemoryPool pool, size_t size, CUstream stream)
{
	struct sim_block **link, *block;

	for (link = &pool->blocks; (block = *link); link = &block->next) {
		if (block->size_bytes != size)
			continue;
		if (block->stream_id != stream->id && !sim_op_is_done(block->freed))
			continue;
		*link = block->next;
		return block;
	}
	return NULL;
}

static unsigned int flags_of(const struct CUmemPoolHandle_st *pool)
{
	return pool->place == SIM_PLACE_PINNED ? CU_MEMHOSTALLOC_PORTABLE : CU_MEM_ATTACH_GLOBAL;
}

/* Managed or pinned memory, with a view for the host. */
static CUresult new_shared(CUmemoryPool pool, size_t size, struct sim_alloc **alloc)
{
	struct sim_backing *backing;

	if (charged(pool) && !sim_device_has_room(pool->device, size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	backing = pool->handle_types ? sim_backing_new_exported(size)
				     : sim_backing_new_shared(size, NULL);
	if (!backing)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*alloc = sim_memory_add((struct sim_alloc){.place = pool->place,
						   .base = (uintptr_t)backing->host,
						   .size_bytes = size,
						   .flags = flags_of(pool),
						   .device = charged(pool),
						   .backing = backing});
	return *alloc ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static struct sim_alloc *adopt_block(CUmemoryPool pool, struct sim_block *block)
{
	struct sim_alloc *alloc = sim_memory_add((struct sim_alloc){.place = pool->place,
								    .base = block->base,
								    .size_bytes = block->size_bytes,
								    .flags = flags_of(pool),
								    .backing = block->backing});

	if (alloc)
		alloc->device = charged(pool); /* since the block was made */
	sim_op_put(block->freed);
	free(block);
	return alloc;
}

static CUresult new_alloc(CUmemoryPool pool, size_t size, CUstream stream, struct sim_alloc **alloc)
{
	struct sim_block *block = take_block(pool, size, stream);
	CUresult result = CUDA_SUCCESS;

	if (block) {
		*alloc = adopt_block(pool, block);
		return *alloc ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (charged(pool) && size > pool->device->total_bytes - pool->device->used_bytes)
		trim(pool, 0);
	if (pool->place == SIM_PLACE_DEVICE)
		result = sim_memory_new_device(pool->device, size, alloc);
	else
		result = new_shared(pool, size, alloc);
	if (result != CUDA_SUCCESS)
		return result;
	pool->reserved_bytes += size;
	if (pool->reserved_bytes > pool->reserved_high)
		pool->reserved_high = pool->reserved_bytes;
	return CUDA_SUCCESS;
}

/* The address is known at once; the allocation itself is an op of the stream (P-1). No bytes have
 * no memory, and NULL for an address, which may be freed. */
static CUresult allocate(CUdeviceptr *dptr, size_t size, CUmemoryPool pool, CUstream stream)
{
	struct sim_alloc *alloc;
	CUresult result;

	if (!dptr)
		return CUDA_ERROR_INVALID_VALUE;
	*dptr = 0;
	if (!size)
		return sim_stream_join(stream, NULL);
	size = (size + SIM_RANGE_ALIGNMENT - 1) & ~(size_t)(SIM_RANGE_ALIGNMENT - 1);
	result = new_alloc(pool, size, stream, &alloc);
	if (result != CUDA_SUCCESS)
		return result;
	alloc->pool = pool;
	pool->live_count++;
	pool->used_bytes += size;
	if (pool->used_bytes > pool->used_high)
		pool->used_high = pool->used_bytes;
	*dptr = alloc->base;
	return sim_stream_join(stream, NULL);
}

static CUresult allocate_in(CUdeviceptr *dptr, size_t size, CUmemoryPool pool, CUstream stream)
{
	if (!stream->capture)
		return allocate(dptr, size, pool, stream);
	if (!dptr)
		return CUDA_ERROR_INVALID_VALUE;
	if (pool->place != SIM_PLACE_DEVICE)
		return sim_call_unsupported("captured memory of pools outside devices");
	return sim_graph_capture_alloc(stream, pool->device, size, dptr);
}

CUresult sim_cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
	CUstream stream;
	CUmemoryPool pool;
	CUresult result = sim_stream_get_for_work(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	pool = sim_pool_current(stream->context->device, SIM_PLACE_DEVICE);
	return pool ? allocate_in(dptr, bytesize, pool, stream) : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
				     CUstream hStream)
{
	CUstream stream;
	CUresult result = sim_stream_get_for_work(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!sim_handle_is(pool, SIM_KIND_POOL) || pool->is_imported)
		return CUDA_ERROR_INVALID_VALUE;
	return allocate_in(dptr, bytesize, pool, stream);
}

static void keep_block(CUmemoryPool pool, struct sim_alloc *alloc, CUstream stream)
{
	struct sim_block *block = calloc(1, sizeof(*block));

	if (!block) /* the alloc then gives its address back itself */
		return;
	*block = (struct sim_block){.base = alloc->base,
				    .size_bytes = alloc->size_bytes,
				    .backing = alloc->backing,
				    .stream_id = stream ? stream->id : 0,
				    .next = pool->blocks};
	sim_backing_get(block->backing);
	if (stream)
		sim_op_set(&block->freed, stream->tail);
	alloc->is_recycled = true;
	pool->blocks = block;
}

CUresult sim_pool_free(struct sim_alloc *alloc, CUstream stream)
{
	CUmemoryPool pool = alloc->pool;
	struct sim_device *device = pool->device;
	CUresult result = stream ? sim_stream_join(stream, NULL) : CUDA_SUCCESS;

	if (result != CUDA_SUCCESS)
		return result;
	pool->live_count--;
	if (!pool->is_imported) {
		pool->used_bytes -= alloc->size_bytes;
		keep_block(pool, alloc, stream);
		if (!alloc->is_recycled)
			pool->reserved_bytes -= alloc->size_bytes;
	}
	if (stream) {
		sim_op_end_memory(stream->tail, alloc);
	} else {
		sim_memory_remove(alloc);
		trim(pool, pool->release_threshold);
	}
	bury(device);
	return CUDA_SUCCESS;
}

/* Also for plain device memory, with the same duty (P-2). */
CUresult sim_cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
	struct sim_alloc *alloc;
	CUstream stream;
	CUresult result = sim_stream_get_for_work(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!dptr)
		return CUDA_SUCCESS;
	if (stream->capture)
		return sim_graph_capture_free(stream, dptr);
	alloc = sim_memory_find(dptr);
	if (!alloc || alloc->base != dptr || alloc->is_module || alloc->physical ||
	    (alloc->place != SIM_PLACE_DEVICE && !alloc->pool && !alloc->graph_memory))
		return CUDA_ERROR_INVALID_VALUE;
	if (alloc->pool)
		return sim_pool_free(alloc, stream);
	result = sim_stream_join(stream, NULL);
	if (result == CUDA_SUCCESS)
		sim_op_end_memory(stream->tail, alloc);
	return result;
}

/* Other processes may get pools of devices and of NUMA nodes of the host (P-11). */
static bool is_exportable(const CUmemPoolProps *props, enum sim_place place)
{
	return place == SIM_PLACE_DEVICE ||
	       (place == SIM_PLACE_PINNED &&
		props->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA);
}

CUresult sim_cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps)
{
	struct sim_device *device;
	enum sim_place place;
	CUresult result;

	if (!pool || !poolProps)
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_pool_place(&poolProps->location, poolProps->allocType, &place, &device);
	if (result != CUDA_SUCCESS)
		return result;
	if (poolProps->handleTypes && !is_exportable(poolProps, place))
		return CUDA_ERROR_INVALID_VALUE;
	if (poolProps->handleTypes & ~SIM_SHARE_TYPES)
		return sim_call_unsupported("memory pools with handles of this type");
	*pool = sim_pool_new(device, place);
	if (*pool)
		(*pool)->handle_types = poolProps->handleTypes;
	return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuMemPoolDestroy(CUmemoryPool pool)
{
	if (!sim_handle_is(pool, SIM_KIND_POOL) || pool->is_default)
		return CUDA_ERROR_INVALID_VALUE;
	sim_handle_remove(pool);
	if (*current_of(pool->device, pool->place) == pool)
		sim_pool_set_current(pool->device, pool->place, NULL);
	pool->next = pool->device->dying_pools;
	pool->device->dying_pools = pool;
	bury(pool->device);
	return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
	if (!sim_handle_is(pool, SIM_KIND_POOL))
		return CUDA_ERROR_INVALID_VALUE;
	trim(pool, minBytesToKeep);
	return CUDA_SUCCESS;
}

void sim_pool_synchronized(struct sim_device *device)
{
	if (device->default_pool)
		trim(device->default_pool, device->default_pool->release_threshold);
	if (device->current_pool)
		trim(device->current_pool, device->current_pool->release_threshold);
	bury(device);
}
