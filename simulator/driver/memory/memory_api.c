/* Device and managed memory of the API. */
#include "simulator/driver/api.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/memory/pool.h"
#include "simulator/driver/schedule/schedule.h"
#include "simulator/driver/stream/stream.h"
#include "simulator/driver/context/thread.h"

#define PITCH_BYTES 512

CUresult sim_cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
	CUcontext context = sim_thread_context();
	struct sim_alloc *alloc;
	CUresult result;

	if (!dptr)
		return CUDA_ERROR_INVALID_VALUE;
	if (!bytesize)
		*dptr = 0;
	result = sim_memory_new_device(context->device, bytesize, &alloc);
	if (result != CUDA_SUCCESS)
		return result;
	alloc->context = context;
	*dptr = alloc->base;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes,
				size_t Height, unsigned int ElementSizeBytes)
{
	size_t size, pitch = (WidthInBytes + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
	CUresult result;

	if (!pPitch || !WidthInBytes || !Height ||
	    (ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16))
		return CUDA_ERROR_INVALID_VALUE;
	if (pitch < WidthInBytes || __builtin_mul_overflow(pitch, Height, &size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	result = sim_cuMemAlloc_v2(dptr, size);
	if (result == CUDA_SUCCESS)
		*pPitch = pitch;
	return result;
}

CUresult sim_cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
	CUcontext context = sim_thread_context();
	struct sim_backing *backing;
	struct sim_alloc *alloc;

	if (!dptr || !bytesize || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
		return CUDA_ERROR_INVALID_VALUE;
	backing = sim_backing_new_shared(bytesize, NULL);
	if (!backing)
		return CUDA_ERROR_OUT_OF_MEMORY;
	alloc = sim_memory_add((struct sim_alloc){.place = SIM_PLACE_MANAGED,
						  .base = (uintptr_t)backing->host,
						  .size_bytes = bytesize,
						  .flags = flags,
						  .context = context,
						  .device = context->device,
						  .backing = backing});
	if (!alloc)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*dptr = alloc->base;
	return CUDA_SUCCESS;
}

/*
 * cuMemFree may synchronize and today's drivers do (H-3), so work in flight is waited for unless
 * the schedule shows what happens without; it then finishes on bytes that nobody can see.
 */
static void drain(struct sim_alloc *alloc)
{
	CUcontext context = alloc->context ? alloc->context : sim_thread_context();

	if (!sim_schedule_may_defer(alloc->id))
		sim_context_wait(context);
}

CUresult sim_cuMemFree_v2(CUdeviceptr dptr)
{
	struct sim_alloc *alloc;

	if (!dptr)
		return CUDA_SUCCESS;
	alloc = sim_memory_find(dptr);
	if (!alloc || alloc->base != dptr || alloc->is_module || alloc->physical || alloc->opens ||
	    (alloc->place != SIM_PLACE_DEVICE && alloc->place != SIM_PLACE_MANAGED && !alloc->pool))
		return CUDA_ERROR_INVALID_VALUE;
	if (alloc->pool) { /* no implicit synchronization (P-3): a GPU ends what still runs there
			      now and then */
		alloc->is_unmapped = sim_schedule_may_defer(alloc->id);
		return sim_pool_free(alloc, NULL);
	}
	drain(alloc);
	if (sim_memory_find(dptr) == alloc)
		sim_memory_remove(alloc);
	return CUDA_SUCCESS;
}

CUresult sim_cuMemGetInfo_v2(size_t *free, size_t *total)
{
	const struct sim_device *device = sim_thread_context()->device;

	if (!free || !total)
		return CUDA_ERROR_INVALID_VALUE;
	*free = device->total_bytes - device->used_bytes;
	*total = device->total_bytes;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
	const struct sim_alloc *alloc = sim_memory_find(dptr);

	if (!alloc)
		return CUDA_ERROR_NOT_FOUND;
	if (pbase)
		*pbase = alloc->base;
	if (psize)
		*psize = alloc->size_bytes;
	return CUDA_SUCCESS;
}
