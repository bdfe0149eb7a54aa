/* Prefetching, discarding and advising managed memory, and what was advised (rules M-6, M-8). */
#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/capture.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/copy/fill.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/stream/stream.h"

#define PAGE_BYTES    4096
#define DISCARDED     0xDD /* what may be read of discarded memory is anything */
#define NO_PREFERENCE CU_DEVICE_INVALID

/* What was advised for a page; locations are device ordinals, CU_DEVICE_CPU or NO_PREFERENCE. */
struct sim_advice {
	uint64_t accessed_by; /* bit per device */
	int preferred;
	int prefetched;
	bool is_read_mostly;
	bool is_accessed_by_host;
};

struct range {
	struct sim_alloc *alloc;
	size_t first; /* pages */
	size_t end;
};

static CUresult find_range(CUdeviceptr address, size_t size, struct range *range)
{
	struct sim_alloc *alloc = sim_memory_find(address);
	size_t offset;

	if (!alloc || alloc->place != SIM_PLACE_MANAGED || !size ||
	    size > alloc->size_bytes - (address - alloc->base))
		return CUDA_ERROR_INVALID_VALUE;
	offset = address - alloc->base;
	*range = (struct range){alloc, offset / PAGE_BYTES,
				(offset + size + PAGE_BYTES - 1) / PAGE_BYTES};
	return CUDA_SUCCESS;
}

/* The pages of an allocation, made when something is advised for the first time. */
static struct sim_advice *pages_of(struct sim_alloc *alloc)
{
	size_t i, count = (alloc->size_bytes + PAGE_BYTES - 1) / PAGE_BYTES;

	if (alloc->advice)
		return alloc->advice;
	alloc->advice = calloc(count, sizeof(*alloc->advice));
	for (i = 0; alloc->advice && i < count; i++) {
		alloc->advice[i].preferred = NO_PREFERENCE;
		alloc->advice[i].prefetched = NO_PREFERENCE;
	}
	return alloc->advice;
}

/* Sets *place to the location's number; host NUMA nodes count as the host. */
static CUresult read_location(const CUmemLocation *location, int *place)
{
	switch ((int)location->type) {
	case CU_MEM_LOCATION_TYPE_DEVICE:
		*place = location->id;
		return sim_device_get(location->id) && sim_driver.shares_managed
			       ? CUDA_SUCCESS
			       : CUDA_ERROR_INVALID_DEVICE;
	case CU_MEM_LOCATION_TYPE_HOST:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT: *place = CU_DEVICE_CPU; return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

/* Prefetches and discards are ops that no capture takes. */
static CUresult get_stream(CUstream handle, CUstream *stream)
{
	CUresult result = sim_stream_get_for_work(handle, stream);

	if (result == CUDA_SUCCESS && (*stream)->capture)
		return sim_capture_break(*stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	return result;
}

static CUresult note_prefetch(const struct range *range, int place)
{
	struct sim_advice *pages = pages_of(range->alloc);
	size_t i;

	if (!pages)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (i = range->first; i < range->end; i++)
		pages[i].prefetched = place;
	return CUDA_SUCCESS;
}

/* A prefetch is an op of its stream but no access to data (M-6). */
CUresult sim_cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
				   unsigned int flags, CUstream hStream)
{
	struct range range;
	CUstream stream;
	int place;
	CUresult result = get_stream(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	result = flags ? CUDA_ERROR_INVALID_VALUE : read_location(&location, &place);
	if (result == CUDA_SUCCESS)
		result = find_range(devPtr, count, &range);
	if (result == CUDA_SUCCESS)
		result = note_prefetch(&range, place);
	return result == CUDA_SUCCESS ? sim_stream_join(stream, NULL) : result;
}

static CUmemLocation location_of(CUdevice device)
{
	if (device == CU_DEVICE_CPU)
		return (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_HOST};
	return (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device};
}

CUresult sim_cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
				CUstream hStream)
{
	return sim_cuMemPrefetchAsync_v2(devPtr, count, location_of(dstDevice), 0, hStream);
}

/* The ranges of a batch, each with its place; without locations they are discarded only. */
struct batch {
	CUdeviceptr *addresses;
	size_t *sizes;
	size_t count;
	CUmemLocation *locations;
	size_t *indexes;
	size_t location_count;
	bool prefetches;
	bool discards;
};

static CUresult check_locations(const struct batch *batch)
{
	CUresult result = CUDA_SUCCESS;
	size_t i;
	int place;

	if (!batch->prefetches)
		return CUDA_SUCCESS;
	if (!batch->locations || !batch->indexes || !batch->location_count ||
	    batch->location_count > batch->count || batch->indexes[0])
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < batch->location_count && result == CUDA_SUCCESS; i++) {
		if (batch->indexes[i] >= batch->count ||
		    (i && batch->indexes[i] <= batch->indexes[i - 1]))
			return CUDA_ERROR_INVALID_VALUE;
		result = read_location(&batch->locations[i], &place);
	}
	return result;
}

static CUresult check_batch(const struct batch *batch)
{
	CUresult result = CUDA_SUCCESS;
	struct range range;
	size_t i;

	if (!batch->addresses || !batch->sizes || !batch->count)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < batch->count && result == CUDA_SUCCESS; i++)
		result = find_range(batch->addresses[i], batch->sizes[i], &range);
	return result == CUDA_SUCCESS ? check_locations(batch) : result;
}

static int place_at(const struct batch *batch, size_t index)
{
	size_t i = batch->location_count - 1;
	int place = NO_PREFERENCE;

	while (i && batch->indexes[i] > index)
		i--;
	read_location(&batch->locations[i], &place);
	return place;
}

/* A discard is a write of what nobody knows (M-8). */
static CUresult discard(CUdeviceptr address, size_t size, CUstream stream)
{
	struct sim_fill_spec spec = {address, 0, DISCARDED, 1, size, 1};
	struct sim_work work = {.kind = SIM_WORK_FILL};
	CUresult result = sim_fill_resolve(&spec, &work.fill);

	return result == CUDA_SUCCESS ? sim_stream_submit(stream, &work) : result;
}

static CUresult run_one(const struct batch *batch, size_t i, CUstream stream)
{
	CUresult result = CUDA_SUCCESS;
	struct range range;

	if (batch->discards)
		result = discard(batch->addresses[i], batch->sizes[i], stream);
	if (result != CUDA_SUCCESS || !batch->prefetches)
		return result;
	result = find_range(batch->addresses[i], batch->sizes[i], &range);
	return result == CUDA_SUCCESS ? note_prefetch(&range, place_at(batch, i)) : result;
}

static CUresult run(const struct batch *batch, unsigned long long flags, CUstream handle)
{
	CUstream stream;
	size_t i;
	CUresult result = get_stream(handle, &stream);

	if (result == CUDA_SUCCESS && (flags || stream->is_legacy))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && batch->discards && !sim_driver.shares_managed)
		result = CUDA_ERROR_NOT_SUPPORTED;
	if (result == CUDA_SUCCESS)
		result = check_batch(batch);
	for (i = 0; result == CUDA_SUCCESS && i < batch->count; i++)
		result = run_one(batch, i, stream);
	return result == CUDA_SUCCESS ? sim_stream_join(stream, NULL) : result;
}

CUresult sim_cuMemPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
				     CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
				     size_t numPrefetchLocs, unsigned long long flags,
				     CUstream hStream)
{
	struct batch batch = {dptrs,	       sizes,		count, prefetchLocs,
			      prefetchLocIdxs, numPrefetchLocs, true,  false};

	return run(&batch, flags, hStream);
}

CUresult sim_cuMemDiscardBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
				    unsigned long long flags, CUstream hStream)
{
	struct batch batch = {dptrs, sizes, count, NULL, NULL, 0, false, true};

	return run(&batch, flags, hStream);
}

CUresult sim_cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
					       CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
					       size_t numPrefetchLocs, unsigned long long flags,
					       CUstream hStream)
{
	struct batch batch = {dptrs,	       sizes,		count, prefetchLocs,
			      prefetchLocIdxs, numPrefetchLocs, true,  true};

	return run(&batch, flags, hStream);
}

static void set_accessed(struct sim_advice *page, int place, bool is_accessed)
{
	uint64_t bit = place >= 0 ? 1ull << place : 0;

	if (place == CU_DEVICE_CPU)
		page->is_accessed_by_host = is_accessed;
	page->accessed_by = is_accessed ? page->accessed_by | bit : page->accessed_by & ~bit;
}

static void advise(struct sim_advice *page, CUmem_advise advice, int place)
{
	switch (advice) {
	case CU_MEM_ADVISE_SET_READ_MOSTLY: page->is_read_mostly = true; return;
	case CU_MEM_ADVISE_UNSET_READ_MOSTLY: page->is_read_mostly = false; return;
	case CU_MEM_ADVISE_SET_PREFERRED_LOCATION: page->preferred = place; return;
	case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION: page->preferred = NO_PREFERENCE; return;
	case CU_MEM_ADVISE_SET_ACCESSED_BY: set_accessed(page, place, true); return;
	case CU_MEM_ADVISE_UNSET_ACCESSED_BY: set_accessed(page, place, false); return;
	}
}

/* These pieces of advice have no use for a location. */
static bool ignores_location(CUmem_advise advice)
{
	return advice == CU_MEM_ADVISE_SET_READ_MOSTLY ||
	       advice == CU_MEM_ADVISE_UNSET_READ_MOSTLY ||
	       advice == CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION;
}

CUresult sim_cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
			    CUmemLocation location)
{
	struct sim_advice *pages;
	struct range range;
	int place = NO_PREFERENCE;
	CUresult result = CUDA_SUCCESS;
	size_t i;

	if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
		return CUDA_ERROR_INVALID_VALUE;
	if (!ignores_location(advice))
		result = read_location(&location, &place);
	if (result == CUDA_SUCCESS)
		result = find_range(devPtr, count, &range);
	if (result != CUDA_SUCCESS)
		return result;
	pages = pages_of(range.alloc);
	if (!pages)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (i = range.first; i < range.end; i++)
		advise(&pages[i], advice, place);
	return CUDA_SUCCESS;
}

CUresult sim_cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device)
{
	return sim_cuMemAdvise_v2(devPtr, count, advice, location_of(device));
}

/* What holds for all pages of the range. */
static struct sim_advice common(const struct range *range, const struct sim_advice *pages)
{
	struct sim_advice all = pages[range->first];
	size_t i;

	for (i = range->first + 1; i < range->end; i++) {
		all.accessed_by &= pages[i].accessed_by;
		all.is_accessed_by_host &= pages[i].is_accessed_by_host;
		all.is_read_mostly &= pages[i].is_read_mostly;
		if (all.preferred != pages[i].preferred)
			all.preferred = NO_PREFERENCE;
		if (all.prefetched != pages[i].prefetched)
			all.prefetched = NO_PREFERENCE;
	}
	return all;
}

static int type_of(int place)
{
	if (place == NO_PREFERENCE)
		return CU_MEM_LOCATION_TYPE_INVALID;
	return place == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
}

static int id_of(int place)
{
	return place > 0 ? place : 0;
}

/* The list is filled up with invalid devices. */
static CUresult list_accessed(const struct sim_advice *all, int *list, size_t size)
{
	size_t found = 0, count = size / sizeof(*list);
	int i;

	if (!size || size % sizeof(*list))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < sim_driver.device_count && found < count; i++)
		if (all->accessed_by >> i & 1)
			list[found++] = i;
	if (all->is_accessed_by_host && found < count)
		list[found++] = CU_DEVICE_CPU;
	while (found < count)
		list[found++] = CU_DEVICE_INVALID;
	return CUDA_SUCCESS;
}

static CUresult answer(const struct sim_advice *all, CUmem_range_attribute attribute, int *data,
		       size_t size)
{
	if (attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY)
		return list_accessed(all, data, size);
	if (size != sizeof(*data))
		return CUDA_ERROR_INVALID_VALUE;
	switch ((int)attribute) {
	case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY: *data = all->is_read_mostly; break;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION: *data = all->preferred; break;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION: *data = all->prefetched; break;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE: *data = type_of(all->preferred); break;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID: *data = id_of(all->preferred); break;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
		*data = type_of(all->prefetched);
		break;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
		*data = id_of(all->prefetched);
		break;
	default: return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

CUresult sim_cuMemRangeGetAttributes(void **data, size_t *dataSizes,
				     CUmem_range_attribute *attributes, size_t numAttributes,
				     CUdeviceptr devPtr, size_t count)
{
	struct sim_advice all, *pages;
	struct range range;
	CUresult result = find_range(devPtr, count, &range);
	size_t i;

	if (!data || !dataSizes || !attributes || !numAttributes || result != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_VALUE;
	pages = pages_of(range.alloc);
	if (!pages)
		return CUDA_ERROR_OUT_OF_MEMORY;
	all = common(&range, pages);
	for (i = 0; i < numAttributes && result == CUDA_SUCCESS; i++)
		result = data[i] ? answer(&all, attributes[i], data[i], dataSizes[i])
				 : CUDA_ERROR_INVALID_VALUE;
	return result;
}

CUresult sim_cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute,
				    CUdeviceptr devPtr, size_t count)
{
	return sim_cuMemRangeGetAttributes(&data, &dataSize, &attribute, 1, devPtr, count);
}
