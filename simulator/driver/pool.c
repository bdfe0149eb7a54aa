/* Allocating from pools, and keeping freed memory for the next allocation. */
#include "simulator/driver/pool.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simulator/driver/api.h"
#include "simulator/driver/capture.h"
#include "simulator/driver/context.h"
#include "simulator/driver/graph_capture.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/range.h"
#include "simulator/driver/schedule.h"
#include "simulator/driver/thread.h"

struct sim_block {
	uintptr_t base;
	size_t size_bytes;
	struct sim_backing *backing; /* counted */
	uint64_t stream_id;	     /* where it was freed */
	struct sim_op *freed;	     /* counted; the free's op */
	struct sim_block *next;
};

CUmemoryPool sim_pool_new(struct sim_device *device)
{
	CUmemoryPool pool = sim_handle_new(SIM_KIND_POOL, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->device = device;
	pool->file = -1;
	pool->reuse[0] = pool->reuse[1] = pool->reuse[2] = 1;
	pool->access[device->ordinal] = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	return pool;
}

CUmemoryPool sim_pool_default(struct sim_device *device)
{
	if (!device->default_pool) {
		device->default_pool = sim_pool_new(device);
		if (device->default_pool)
			device->default_pool->is_default = true;
	}
	return device->default_pool;
}

CUmemoryPool sim_pool_current(struct sim_device *device)
{
	return device->current_pool ? device->current_pool : sim_pool_default(device);
}

/* Gives a kept block back to the device. */
static void release_block(CUmemoryPool pool, struct sim_block *block)
{
	pool->reserved_bytes -= block->size_bytes;
	pool->device->used_bytes -= block->size_bytes;
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

static struct sim_alloc *adopt_block(CUmemoryPool pool, struct sim_block *block)
{
	struct sim_alloc *alloc = sim_memory_add((struct sim_alloc){.place = SIM_PLACE_DEVICE,
								    .base = block->base,
								    .size_bytes = block->size_bytes,
								    .backing = block->backing});

	if (alloc)
		alloc->device = pool->device; /* charged since the block was made */
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
	if (size > pool->device->total_bytes - pool->device->used_bytes)
		trim(pool, 0);
	result = sim_memory_new_device(pool->device, size, alloc);
	if (result != CUDA_SUCCESS)
		return result;
	pool->reserved_bytes += size;
	if (pool->reserved_bytes > pool->reserved_high)
		pool->reserved_high = pool->reserved_bytes;
	return CUDA_SUCCESS;
}

/* The address is known at once; the allocation itself is an op of the stream (P-1). */
static CUresult allocate(CUdeviceptr *dptr, size_t size, CUmemoryPool pool, CUstream stream)
{
	struct sim_alloc *alloc;
	CUresult result;

	if (!dptr || !size)
		return CUDA_ERROR_INVALID_VALUE;
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
	if (!dptr || !size)
		return CUDA_ERROR_INVALID_VALUE;
	return sim_graph_capture_alloc(stream, pool->device, size, dptr);
}

CUresult sim_cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
	CUstream stream;
	CUmemoryPool pool;
	CUresult result = sim_stream_get_for_work(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	pool = sim_pool_current(stream->context->device);
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
	pool->used_bytes -= alloc->size_bytes;
	keep_block(pool, alloc, stream);
	if (!alloc->is_recycled)
		pool->reserved_bytes -= alloc->size_bytes;
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
	if (!alloc || alloc->base != dptr || alloc->place != SIM_PLACE_DEVICE || alloc->is_module ||
	    alloc->physical)
		return CUDA_ERROR_INVALID_VALUE;
	if (alloc->pool)
		return sim_pool_free(alloc, stream);
	result = sim_stream_join(stream, NULL);
	if (result == CUDA_SUCCESS)
		sim_op_end_memory(stream->tail, alloc);
	return result;
}

CUresult sim_cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps)
{
	struct sim_device *device;

	if (!pool || !poolProps || poolProps->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	if (poolProps->handleTypes != CU_MEM_HANDLE_TYPE_NONE &&
	    poolProps->handleTypes != CU_MEM_HANDLE_TYPE_FABRIC)
		return sim_call_unsupported(
			"memory pools with handles of another type than FABRIC");
	if (poolProps->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return sim_call_unsupported("memory pools outside devices");
	device = sim_device_get(poolProps->location.id);
	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	*pool = sim_pool_new(device);
	if (*pool)
		(*pool)->handle_types = poolProps->handleTypes;
	return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuMemPoolDestroy(CUmemoryPool pool)
{
	if (!sim_handle_is(pool, SIM_KIND_POOL) || pool->is_default)
		return CUDA_ERROR_INVALID_VALUE;
	sim_handle_remove(pool);
	if (pool->device->current_pool == pool)
		pool->device->current_pool = NULL;
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
