/* Pinned and registered host memory of the API. */
#include "simulator/driver/api.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/schedule/schedule.h"
#include "simulator/driver/context/thread.h"

#define ALLOC_FLAGS \
	(CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED)
#define REGISTER_FLAGS \
	(CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY)

CUresult sim_cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
	struct sim_backing *backing;
	struct sim_alloc *alloc;

	if (!pp || !bytesize || (Flags & ~(unsigned int)ALLOC_FLAGS))
		return CUDA_ERROR_INVALID_VALUE;
	backing = sim_backing_new_shared(bytesize, NULL);
	if (!backing)
		return CUDA_ERROR_OUT_OF_MEMORY;
	alloc = sim_memory_add((struct sim_alloc){.place = SIM_PLACE_PINNED,
						  .base = (uintptr_t)backing->host,
						  .size_bytes = bytesize,
						  .flags = Flags,
						  .context = sim_thread_context(),
						  .backing = backing});
	if (!alloc)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*pp = (void *)alloc->base;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemAllocHost_v2(void **pp, size_t bytesize)
{
	return sim_cuMemHostAlloc(pp, bytesize, 0);
}

static CUresult release(void *p, enum sim_place place)
{
	struct sim_alloc *alloc = sim_memory_find((uintptr_t)p);

	if (!alloc)
		return place == SIM_PLACE_PINNED ? CUDA_ERROR_INVALID_VALUE
						 : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
	if (alloc->base != (uintptr_t)p || alloc->place != place || alloc->pool || alloc->physical)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_schedule_may_defer(alloc->id)) /* today's drivers wait (H-3) */
		sim_context_wait(alloc->context);
	if (sim_memory_find((uintptr_t)p) == alloc)
		sim_memory_remove(alloc);
	return CUDA_SUCCESS;
}

CUresult sim_cuMemFreeHost(void *p)
{
	if (!p)
		return CUDA_SUCCESS;
	return release(p, SIM_PLACE_PINNED);
}

CUresult sim_cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
	struct sim_backing *backing;
	struct sim_alloc *alloc;

	if (!p || !bytesize || (uintptr_t)p + bytesize < (uintptr_t)p)
		return CUDA_ERROR_INVALID_VALUE;
	if (Flags & CU_MEMHOSTREGISTER_IOMEMORY)
		return sim_call_unsupported("registering I/O memory");
	if (Flags & ~(unsigned int)REGISTER_FLAGS)
		return CUDA_ERROR_INVALID_VALUE;
	if (sim_memory_overlaps((uintptr_t)p, bytesize))
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	backing = sim_backing_new_registered(p, bytesize);
	if (!backing)
		return CUDA_ERROR_OUT_OF_MEMORY;
	alloc = sim_memory_add((struct sim_alloc){.place = SIM_PLACE_REGISTERED,
						  .base = (uintptr_t)p,
						  .size_bytes = bytesize,
						  .flags = Flags,
						  .context = sim_thread_context(),
						  .backing = backing});
	return alloc ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuMemHostUnregister(void *p)
{
	return release(p, SIM_PLACE_REGISTERED);
}

/* One address for both sides: CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM is 1. */
CUresult sim_cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
	const struct sim_alloc *alloc = sim_memory_find((uintptr_t)p);

	if (!pdptr || Flags || !alloc ||
	    (alloc->place != SIM_PLACE_PINNED && alloc->place != SIM_PLACE_REGISTERED))
		return CUDA_ERROR_INVALID_VALUE;
	*pdptr = (CUdeviceptr)(uintptr_t)p;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemHostGetFlags(unsigned int *pFlags, void *p)
{
	const struct sim_alloc *alloc = sim_memory_find((uintptr_t)p);

	if (!pFlags || !alloc ||
	    (alloc->place != SIM_PLACE_PINNED && alloc->place != SIM_PLACE_REGISTERED))
		return CUDA_ERROR_INVALID_VALUE;
	*pFlags = alloc->flags | CU_MEMHOSTALLOC_DEVICEMAP; /* mapped whether asked or not (M-1) */
	return CUDA_SUCCESS;
}
