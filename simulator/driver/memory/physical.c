/* Making and releasing physical memory. */
#include "simulator/driver/memory/physical.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "simulator/driver/api.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/ipc/share.h"

struct sim_physical *sim_physical_from(CUmemGenericAllocationHandle handle)
{
	struct sim_physical *physical = (struct sim_physical *)(uintptr_t)handle;

	return sim_handle_is(physical, SIM_KIND_PHYSICAL) ? physical : NULL;
}

/* Pages that pending work still uses stay until it is done: its mapping keeps them. */
static void free_unused(struct sim_physical *physical)
{
	if (physical->handles || physical->mappings)
		return;
	if (physical->device)
		physical->device->used_bytes -= physical->size_bytes;
	close(physical->fd);
	free(physical);
}

bool sim_physical_retain(struct sim_physical *physical)
{
	if (!physical->handles && !sim_handle_add(physical, SIM_KIND_PHYSICAL))
		return false;
	physical->handles++;
	return true;
}

void sim_physical_unmapped(struct sim_physical *physical)
{
	physical->mappings--;
	free_unused(physical);
}

static bool is_on_host(const CUmemAllocationProp *prop)
{
	return prop->location.type == CU_MEM_LOCATION_TYPE_HOST ||
	       prop->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
}

/* There is one node. */
static CUresult check_host(const CUmemAllocationProp *prop)
{
	if (prop->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA && prop->location.id)
		return CUDA_ERROR_INVALID_VALUE;
	if (prop->requestedHandleTypes == CU_MEM_HANDLE_TYPE_NONE)
		return CUDA_SUCCESS;
	return prop->location.type == CU_MEM_LOCATION_TYPE_HOST
		       ? CUDA_ERROR_INVALID_VALUE
		       : sim_call_unsupported("handles of the host's physical memory");
}

static CUresult check_prop(const CUmemAllocationProp *prop, struct sim_device **device)
{
	int ordinal;

	if (!prop || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	*device = NULL;
	if (is_on_host(prop))
		return check_host(prop);
	if (!sim_device_of_location(&prop->location, &ordinal))
		return CUDA_ERROR_INVALID_VALUE;
	if (prop->requestedHandleTypes & ~SIM_SHARE_TYPES)
		return sim_call_unsupported("physical memory with handles of this type");
	*device = sim_device_get(ordinal);
	return *device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/* Takes the descriptor over; NULL when out of memory. */
static struct sim_physical *new_physical(int fd, size_t size_bytes, struct sim_device *device,
					 const CUmemAllocationProp *prop)
{
	struct sim_physical *physical =
		fd >= 0 ? sim_handle_new(SIM_KIND_PHYSICAL, sizeof(*physical)) : NULL;

	if (!physical) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	*physical = (struct sim_physical){
		.handles = 1, .fd = fd, .size_bytes = size_bytes, .device = device, .prop = *prop};
	if (device)
		device->used_bytes += size_bytes;
	return physical;
}

CUresult sim_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
			 const CUmemAllocationProp *prop, unsigned long long flags)
{
	struct sim_physical *physical;
	struct sim_device *device = NULL;
	CUresult result = check_prop(prop, &device);

	if (result != CUDA_SUCCESS)
		return result;
	if (!handle || !size || size % SIM_GRANULARITY || flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (device && !sim_device_has_room(device, size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	physical =
		new_physical(sim_share_new(SIM_SHARE_PHYSICAL, device ? device->number : 0, size),
			     size, device, prop);
	if (!physical)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*handle = (CUmemGenericAllocationHandle)(uintptr_t)physical;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemRelease(CUmemGenericAllocationHandle handle)
{
	struct sim_physical *physical = sim_physical_from(handle);

	if (!physical)
		return CUDA_ERROR_INVALID_VALUE;
	if (--physical->handles == 0)
		sim_handle_remove(physical);
	free_unused(physical);
	return CUDA_SUCCESS;
}

CUresult sim_cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
					   CUmemAllocationGranularity_flags option)
{
	struct sim_device *device;
	CUresult result = check_prop(prop, &device);

	if (result != CUDA_SUCCESS)
		return result;
	if (!granularity || (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM &&
			     option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
		return CUDA_ERROR_INVALID_VALUE;
	*granularity = SIM_GRANULARITY;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
						    CUmemGenericAllocationHandle handle)
{
	const struct sim_physical *physical = sim_physical_from(handle);

	if (!prop || !physical)
		return CUDA_ERROR_INVALID_VALUE;
	*prop = physical->prop;
	return CUDA_SUCCESS;
}

/* ---- other processes ---- */

CUresult sim_cuMemExportToShareableHandle(void *shareableHandle,
					  CUmemGenericAllocationHandle handle,
					  CUmemAllocationHandleType handleType,
					  unsigned long long flags)
{
	const struct sim_physical *physical = sim_physical_from(handle);

	if (!shareableHandle || !physical || flags ||
	    !(physical->prop.requestedHandleTypes & handleType))
		return CUDA_ERROR_INVALID_VALUE;
	return sim_share_export(SIM_SHARE_PHYSICAL, handleType,
				(struct sim_share){.fd = physical->fd,
						   .device = physical->device->number,
						   .size_bytes = physical->size_bytes},
				shareableHandle);
}

CUresult sim_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
					    CUmemAllocationHandleType shHandleType)
{
	CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
				    .requestedHandleTypes = shHandleType,
				    .location.type = CU_MEM_LOCATION_TYPE_DEVICE};
	struct sim_physical *physical;
	struct sim_device *device;
	struct sim_share found;
	CUresult result;

	if (!handle)
		return CUDA_ERROR_INVALID_VALUE;
	if (shHandleType & ~SIM_SHARE_TYPES)
		return sim_call_unsupported("handles of this type");
	result = sim_share_import(SIM_SHARE_PHYSICAL, shHandleType, osHandle, &found);
	if (result != CUDA_SUCCESS)
		return result;
	device = found.size_bytes % SIM_GRANULARITY ? NULL : sim_device_of_number(found.device);
	if (!device) {
		close(found.fd);
		return CUDA_ERROR_INVALID_VALUE;
	}
	prop.location.id = device->ordinal;
	physical = new_physical(found.fd, found.size_bytes, device, &prop);
	if (!physical)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*handle = (CUmemGenericAllocationHandle)(uintptr_t)physical;
	return CUDA_SUCCESS;
}
