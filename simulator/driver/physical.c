/* Making and releasing physical memory. */
#include "simulator/driver/physical.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "simulator/driver/api.h"
#include "simulator/driver/handle.h"

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

static CUresult check_prop(const CUmemAllocationProp *prop, struct sim_device **device)
{
	if (!prop || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	if (prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return sim_call_unsupported("physical memory outside devices");
	if (prop->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE)
		return sim_call_unsupported("exportable physical memory");
	*device = sim_device_get(prop->location.id);
	return *device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static int new_file(size_t size_bytes)
{
	int fd = memfd_create("cuda-physical", MFD_CLOEXEC);

	if (fd >= 0 && ftruncate(fd, (off_t)size_bytes) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
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
	if (size > device->total_bytes - device->used_bytes)
		return CUDA_ERROR_OUT_OF_MEMORY;
	physical = sim_handle_new(SIM_KIND_PHYSICAL, sizeof(*physical));
	if (!physical)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*physical = (struct sim_physical){.handles = 1,
					  .fd = new_file(size),
					  .size_bytes = size,
					  .device = device,
					  .prop = *prop};
	if (physical->fd < 0) {
		sim_handle_remove(physical);
		free(physical);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	device->used_bytes += size;
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
