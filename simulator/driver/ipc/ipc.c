/* Device memory and events that other processes use too (rules P-11, E-12). */
#include <unistd.h>

#include "simulator/driver/api.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/stream/event.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/ipc/ipc.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/memory/range.h"
#include "simulator/driver/ipc/share.h"
#include "simulator/driver/ipc/shared_event.h"
#include "simulator/driver/context/thread.h"

/* ---- memory ---- */

/* Only what cuMemAlloc gave out has a handle, and that by its first address. */
static struct sim_alloc *exportable(CUdeviceptr address)
{
	struct sim_alloc *alloc = sim_memory_find(address);

	if (!alloc || alloc->base != address || alloc->place != SIM_PLACE_DEVICE || alloc->pool ||
	    alloc->is_module || alloc->physical || alloc->graph_memory || alloc->opens)
		return NULL;
	return alloc;
}

CUresult sim_ipc_share(CUdeviceptr address, struct sim_alloc *(*find)(CUdeviceptr address))
{
	struct sim_alloc *alloc = find(address);

	if (alloc && alloc->refs > 1 && alloc->backing->file < 0) {
		if (alloc->context)
			sim_context_wait(alloc->context);
		alloc = find(address);
	}
	if (!alloc)
		return CUDA_ERROR_INVALID_VALUE;
	if (alloc->refs > 1 && alloc->backing->file < 0)
		return sim_call_unsupported("a handle of memory that is in use elsewhere");
	return sim_backing_share(alloc->backing) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr)
{
	struct sim_alloc *alloc = exportable(dptr);
	CUresult result;

	if (!pHandle || !alloc)
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_ipc_share(dptr, exportable);
	if (result != CUDA_SUCCESS)
		return result;
	alloc = exportable(dptr);
	if (!alloc)
		return CUDA_ERROR_INVALID_VALUE;
	return sim_share_describe(SIM_SHARE_MEMORY,
				  (struct sim_share){.fd = alloc->backing->file,
						     .device = alloc->device->number,
						     .size_bytes = alloc->size_bytes},
				  pHandle);
}

/* Memory of the host, which no device is charged for. */
static struct sim_alloc *import_host(const struct sim_share *found)
{
	struct sim_backing *backing = sim_backing_new_imported_shared(found->fd, found->size_bytes);

	if (!backing)
		return NULL;
	return sim_memory_add((struct sim_alloc){.place = SIM_PLACE_PINNED,
						 .base = (uintptr_t)backing->host,
						 .size_bytes = found->size_bytes,
						 .flags = CU_MEMHOSTALLOC_PORTABLE,
						 .file = found->file,
						 .backing = backing});
}

static struct sim_alloc *import_device(const struct sim_share *found, struct sim_device *device)
{
	struct sim_backing *backing = sim_backing_new_imported(found->fd, found->size_bytes);
	uintptr_t base = backing ? sim_range_take(found->size_bytes) : 0;
	struct sim_alloc *alloc = NULL;

	if (base && sim_range_show(base, found->size_bytes, backing->bytes))
		alloc = sim_memory_add((struct sim_alloc){.place = SIM_PLACE_DEVICE,
							  .base = base,
							  .size_bytes = found->size_bytes,
							  .context = sim_thread_context(),
							  .device = device,
							  .file = found->file,
							  .backing = backing});
	else if (backing)
		sim_backing_put(backing);
	if (!alloc && base)
		sim_range_give(base, found->size_bytes);
	return alloc;
}

struct sim_alloc *sim_ipc_import(const struct sim_share *found, struct sim_device *device,
				 enum sim_place place)
{
	return place == SIM_PLACE_DEVICE ? import_device(found, device) : import_host(found);
}

/* Opening it again counts, and gives the same address. */
CUresult sim_cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)
{
	struct sim_device *device;
	struct sim_alloc *alloc;
	struct sim_share found;
	CUresult result;

	if (!pdptr || Flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_share_find(SIM_SHARE_MEMORY, &handle, &found);
	if (result != CUDA_SUCCESS)
		return result;
	device = sim_device_of_number(found.device);
	alloc = device ? sim_memory_find_import(found.file) : NULL;
	if (alloc || !device)
		close(found.fd);
	else
		alloc = sim_ipc_import(&found, device, SIM_PLACE_DEVICE);
	if (!alloc)
		return device ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
	alloc->opens++;
	*pdptr = alloc->base;
	return CUDA_SUCCESS;
}

/* Waits for nothing (P-5). */
CUresult sim_cuIpcCloseMemHandle(CUdeviceptr dptr)
{
	struct sim_alloc *alloc = sim_memory_find(dptr);

	if (!alloc || alloc->base != dptr || !alloc->opens)
		return CUDA_ERROR_INVALID_VALUE;
	if (--alloc->opens == 0)
		sim_memory_remove(alloc);
	return CUDA_SUCCESS;
}

/* ---- events ---- */

CUresult sim_cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event)
{
	if (!sim_handle_use(event, SIM_KIND_EVENT) || !event->shared || event->shared->is_imported)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!pHandle)
		return CUDA_ERROR_INVALID_VALUE;
	return sim_share_describe(SIM_SHARE_EVENT,
				  (struct sim_share){.fd = event->shared->page->backing->file,
						     .device = event->context->device->number,
						     .size_bytes = SIM_SHARED_EVENT_BYTES},
				  pHandle);
}

CUresult sim_cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle)
{
	struct sim_share found;
	CUresult result;

	if (!phEvent)
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_share_find(SIM_SHARE_EVENT, &handle, &found);
	if (result != CUDA_SUCCESS)
		return result;
	if (found.size_bytes != SIM_SHARED_EVENT_BYTES) {
		close(found.fd);
		return CUDA_ERROR_INVALID_VALUE;
	}
	return sim_event_new(phEvent, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING,
			     sim_shared_event_open(found.fd));
}
