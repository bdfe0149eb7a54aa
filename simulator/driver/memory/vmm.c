/* Reserved addresses, and the physical memory mapped at them (rule P-12).
 *
 * A reservation has an address range, which the host cannot touch, and a range of the engines of
 * the same size, where files of physical memory are mapped. Mappings side by side are thus side by
 * side for the engines too. Unmapping leaves the engines' pages in place until something else is
 * mapped there, so that work which is still pending against the rules harms nobody else.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "simulator/driver/api.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/memory/physical.h"
#include "simulator/driver/memory/range.h"

struct reservation {
	uintptr_t base;
	size_t size_bytes;
	struct sim_backing *engines; /* counted */
	struct reservation *next;
};

static struct reservation *reservations; /* owned */

static struct reservation **find(uintptr_t address)
{
	struct reservation **link = &reservations;

	while (*link && address - (*link)->base >= (*link)->size_bytes)
		link = &(*link)->next;
	return link;
}

/* The requested address is only a hint, which is not followed. */
CUresult sim_cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
				 unsigned long long flags)
{
	struct reservation *made;

	(void)addr;
	if (!ptr || !size || size % SIM_GRANULARITY || (alignment & (alignment - 1)) || flags)
		return CUDA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (!made)
		return CUDA_ERROR_OUT_OF_MEMORY;
	made->size_bytes = size;
	made->base = sim_range_take_aligned(size, alignment > SIM_GRANULARITY ? alignment
									      : SIM_GRANULARITY);
	made->engines = made->base ? sim_backing_new_empty(size) : NULL;
	if (!made->engines) {
		if (made->base)
			sim_range_give(made->base, size);
		free(made);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	made->next = reservations;
	reservations = made;
	*ptr = made->base;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
	struct reservation **link = find(ptr), *found = *link;

	if (!found || found->base != ptr || found->size_bytes != size ||
	    sim_memory_overlaps(ptr, size))
		return CUDA_ERROR_INVALID_VALUE;
	*link = found->next;
	sim_range_give(found->base, found->size_bytes);
	sim_backing_put(found->engines);
	free(found);
	return CUDA_SUCCESS;
}

static bool is_mappable(const struct reservation *reservation, CUdeviceptr ptr, size_t size)
{
	return reservation && size && size % SIM_GRANULARITY == 0 && ptr % SIM_GRANULARITY == 0 &&
	       size <= reservation->size_bytes - (ptr - reservation->base) &&
	       !sim_memory_overlaps(ptr, size);
}

/* The new mapping gives access to nobody yet. */
static CUresult map(struct reservation *reservation, CUdeviceptr ptr, size_t size,
		    struct sim_physical *physical)
{
	struct sim_alloc initial = {.place = physical->device ? SIM_PLACE_DEVICE : SIM_PLACE_PINNED,
				    .base = ptr,
				    .size_bytes = size,
				    .is_recycled = true, /* address and bytes belong to others */
				    .physical = physical,
				    .backing = reservation->engines,
				    .backing_offset = ptr - reservation->base};
	struct sim_alloc *alloc;

	if (mmap(reservation->engines->bytes + initial.backing_offset, size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, physical->fd, 0) == MAP_FAILED)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!sim_range_show(ptr, size, reservation->engines->bytes + initial.backing_offset))
		return CUDA_ERROR_OUT_OF_MEMORY;
	sim_backing_get(reservation->engines);
	alloc = sim_memory_add(initial);
	if (!alloc)
		return CUDA_ERROR_OUT_OF_MEMORY;
	alloc->device = physical->device; /* charged since the memory was made */
	physical->mappings++;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemMap(CUdeviceptr ptr, size_t size, size_t offset,
		      CUmemGenericAllocationHandle handle, unsigned long long flags)
{
	struct sim_physical *physical = sim_physical_from(handle);
	struct reservation *reservation = *find(ptr);

	if (!physical || offset || flags || size > physical->size_bytes ||
	    !is_mappable(reservation, ptr, size))
		return CUDA_ERROR_INVALID_VALUE;
	return map(reservation, ptr, size, physical);
}

/* Calls `act` on each mapping of a range that consists of whole mappings; else does nothing. */
static CUresult for_each(CUdeviceptr ptr, size_t size,
			 void (*act)(struct sim_alloc *alloc, const void *data), const void *data)
{
	struct sim_alloc *alloc;
	CUdeviceptr at;

	if (!size || ptr + size < ptr)
		return CUDA_ERROR_INVALID_VALUE;
	for (at = ptr; at < ptr + size; at += alloc->size_bytes) {
		alloc = sim_memory_find(at);
		if (!alloc || !alloc->physical || alloc->base != at ||
		    alloc->size_bytes > ptr + size - at)
			return CUDA_ERROR_INVALID_VALUE;
	}
	for (at = ptr; at < ptr + size;) {
		alloc = sim_memory_find(at);
		at += alloc->size_bytes;
		act(alloc, data);
	}
	return CUDA_SUCCESS;
}

static void unmap(struct sim_alloc *alloc, const void *data)
{
	struct sim_physical *physical = alloc->physical;

	(void)data;
	if (alloc->host_access)
		sim_range_grant(alloc->base, alloc->size_bytes, -1, PROT_NONE);
	sim_range_hide(alloc->base, alloc->size_bytes);
	sim_memory_remove(alloc);
	sim_physical_unmapped(physical);
}

/* At once: neither in the order of a stream nor waiting for one. */
CUresult sim_cuMemUnmap(CUdeviceptr ptr, size_t size)
{
	return for_each(ptr, size, unmap, NULL);
}

static bool is_host(const CUmemLocation *location)
{
	return location->type == CU_MEM_LOCATION_TYPE_HOST ||
	       location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
}

static void set_host_access(struct sim_alloc *alloc, unsigned int flags)
{
	int rights = flags ? PROT_READ : PROT_NONE;

	if (flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
		rights |= PROT_WRITE;
	if (sim_range_grant(alloc->base, alloc->size_bytes, alloc->physical->fd, rights))
		alloc->host_access = flags;
}

static void set_access(struct sim_alloc *alloc, const void *data)
{
	const CUmemAccessDesc *desc = data;
	uint64_t bit = 1ull << (desc->location.id & 63);

	if (is_host(&desc->location)) {
		set_host_access(alloc, (unsigned int)desc->flags);
		return;
	}
	alloc->readers &= ~bit;
	alloc->writers &= ~bit;
	if (desc->flags & CU_MEM_ACCESS_FLAGS_PROT_READ)
		alloc->readers |= bit;
	if (desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
		alloc->writers |= bit;
}

/* The host gets access to its own memory only. */
static CUresult check_location(const CUmemLocation *location, CUdeviceptr ptr)
{
	const struct sim_alloc *alloc = sim_memory_find(ptr);

	if (is_host(location) && alloc && alloc->physical && !alloc->physical->device)
		return CUDA_SUCCESS;
	if (location->type == CU_MEM_LOCATION_TYPE_HOST)
		return sim_call_unsupported("cuMemSetAccess of the host to a device's memory");
	if (location->type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	return sim_device_get(location->id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult check_access(const CUmemAccessDesc *desc, CUdeviceptr ptr)
{
	CUresult result = check_location(&desc->location, ptr);

	if (result != CUDA_SUCCESS)
		return result;
	if (desc->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
	    desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
	    desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)
{
	CUresult result = desc && count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	size_t i;

	for (i = 0; i < count && result == CUDA_SUCCESS; i++)
		result = check_access(&desc[i], ptr);
	for (i = 0; i < count && result == CUDA_SUCCESS; i++)
		result = for_each(ptr, size, set_access, &desc[i]);
	return result;
}

CUresult sim_cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
			    CUdeviceptr ptr)
{
	const struct sim_alloc *alloc = sim_memory_find(ptr);
	uint64_t bit;

	if (!flags || !location || !alloc || !alloc->physical)
		return CUDA_ERROR_INVALID_VALUE;
	if (is_host(location) && !alloc->physical->device) {
		*flags = alloc->host_access;
		return CUDA_SUCCESS;
	}
	if (location->type != CU_MEM_LOCATION_TYPE_DEVICE || !sim_device_get(location->id))
		return CUDA_ERROR_INVALID_VALUE;
	bit = 1ull << location->id;
	*flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	if (alloc->readers & bit)
		*flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
	if (alloc->writers & bit)
		*flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
	const struct sim_alloc *alloc = sim_memory_find((uintptr_t)addr);

	if (!handle || !alloc || !alloc->physical)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_physical_retain(alloc->physical))
		return CUDA_ERROR_OUT_OF_MEMORY;
	*handle = (CUmemGenericAllocationHandle)(uintptr_t)alloc->physical;
	return CUDA_SUCCESS;
}
