/* Pools of a device, and the attributes and access rights of a pool. */
#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/memory/pool.h"

static CUresult get_pool(const CUmemLocation *location, CUmemAllocationType type,
			 CUmemoryPool *pool,
			 CUmemoryPool (*choose)(struct sim_device *, enum sim_place))
{
	struct sim_device *device;
	enum sim_place place;
	CUresult result;

	if (!pool)
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_pool_place(location, type, &place, &device);
	if (result != CUDA_SUCCESS)
		return result;
	*pool = choose(device, place);
	return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location,
				    CUmemAllocationType type)
{
	return get_pool(location, type, pool_out, sim_pool_default);
}

CUresult sim_cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
	return get_pool(location, type, pool, sim_pool_current);
}

CUresult sim_cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
	struct sim_device *device;
	enum sim_place place;
	CUresult result = sim_pool_place(location, type, &place, &device);

	if (result != CUDA_SUCCESS)
		return result;
	if (!sim_handle_is(pool, SIM_KIND_POOL) || pool->place != place ||
	    (place == SIM_PLACE_DEVICE && pool->device != device))
		return CUDA_ERROR_INVALID_VALUE;
	sim_pool_set_current(device, place, pool);
	return CUDA_SUCCESS;
}

static CUmemLocation device_at(CUdevice dev)
{
	return (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = dev};
}

CUresult sim_cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
	CUmemLocation location = device_at(dev);

	return get_pool(&location, CU_MEM_ALLOCATION_TYPE_PINNED, pool_out, sim_pool_default);
}

CUresult sim_cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
	CUmemLocation location = device_at(dev);

	return get_pool(&location, CU_MEM_ALLOCATION_TYPE_PINNED, pool, sim_pool_current);
}

CUresult sim_cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
	CUmemLocation location = device_at(dev);

	return sim_cuMemSetMemPool(&location, CU_MEM_ALLOCATION_TYPE_PINNED, pool);
}

/* The 64-bit attribute with this id, or NULL. */
static uint64_t *counter(CUmemoryPool pool, CUmemPool_attribute attribute)
{
	switch ((int)attribute) {
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: return &pool->release_threshold;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: return &pool->reserved_bytes;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: return &pool->reserved_high;
	case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: return &pool->used_bytes;
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH: return &pool->used_high;
	}
	return NULL;
}

static bool is_reuse(CUmemPool_attribute attribute)
{
	return attribute >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
	       attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

CUresult sim_cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
	if (!sim_handle_is(pool, SIM_KIND_POOL) || !value)
		return CUDA_ERROR_INVALID_VALUE;
	if (is_reuse(attr))
		*(int *)value = pool->reuse[attr - 1];
	else if (counter(pool, attr))
		*(cuuint64_t *)value = *counter(pool, attr);
	else
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* The high-water marks may only be reset to 0, which means to the present value. */
CUresult sim_cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
	if (!sim_handle_is(pool, SIM_KIND_POOL) || !value)
		return CUDA_ERROR_INVALID_VALUE;
	if (is_reuse(attr)) {
		pool->reuse[attr - 1] = *(int *)value;
		return CUDA_SUCCESS;
	}
	switch ((int)attr) {
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		pool->release_threshold = *(cuuint64_t *)value;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		if (*(cuuint64_t *)value)
			return CUDA_ERROR_INVALID_VALUE;
		if (attr == CU_MEMPOOL_ATTR_USED_MEM_HIGH)
			pool->used_high = pool->used_bytes;
		else
			pool->reserved_high = pool->reserved_bytes;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

/* The rights of pools are their own; peer access of contexts plays no part (P-8). */
/* The answers of an H200's driver; the owner's access cannot be taken away. */
static CUresult check_access(CUmemoryPool pool, const CUmemAccessDesc *access)
{
	bool is_own =
		pool->place == SIM_PLACE_DEVICE && access->location.id == pool->device->ordinal;

	if (access->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	if (access->flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!sim_device_get(access->location.id) ||
	    (is_own && access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE))
		return CUDA_ERROR_INVALID_DEVICE;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
	CUresult result = CUDA_SUCCESS;
	size_t i;

	if (!sim_handle_is(pool, SIM_KIND_POOL) || !count || !map)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < count && result == CUDA_SUCCESS; i++)
		result = check_access(pool, &map[i]);
	if (result != CUDA_SUCCESS)
		return result;
	for (i = 0; i < count; i++)
		pool->access[map[i].location.id] = map[i].flags;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool,
				CUmemLocation *location)
{
	if (!flags || !sim_handle_is(memPool, SIM_KIND_POOL) || !location)
		return CUDA_ERROR_INVALID_VALUE;
	if (memPool->place != SIM_PLACE_DEVICE &&
	    (location->type == CU_MEM_LOCATION_TYPE_HOST ||
	     location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA)) {
		*flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
		return CUDA_SUCCESS;
	}
	if (location->type != CU_MEM_LOCATION_TYPE_DEVICE || !sim_device_get(location->id))
		return CUDA_ERROR_INVALID_VALUE;
	*flags = memPool->access[location->id];
	return CUDA_SUCCESS;
}
