/* The array functions of the API. */
#include "simulator/driver/copy/array.h"

#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/schedule/schedule.h"
#include "simulator/driver/texture/texture.h"
#include "simulator/driver/context/thread.h"

#define KNOWN_FLAGS                                                                \
	(CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP | \
	 CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_COLOR_ATTACHMENT)

size_t sim_array_channel_bytes(CUarray_format format)
{
	switch ((int)format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8: return 1;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF: return 2;
	case CU_AD_FORMAT_UNSIGNED_INT32:
	case CU_AD_FORMAT_SIGNED_INT32:
	case CU_AD_FORMAT_FLOAT: return 4;
	}
	return 0;
}

/* Six square faces, of each layer. */
static bool is_cube(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	bool has_faces =
		d->Flags & CUDA_ARRAY3D_LAYERED ? d->Depth && d->Depth % 6 == 0 : d->Depth == 6;

	return d->Width == d->Height && has_faces;
}

static CUresult check(const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
	if (!descriptor->Width || descriptor->Width > 131072 || descriptor->Height > 65536 ||
	    descriptor->Depth > 16384)
		return CUDA_ERROR_INVALID_VALUE;
	if (descriptor->NumChannels != 1 && descriptor->NumChannels != 2 &&
	    descriptor->NumChannels != 4)
		return CUDA_ERROR_INVALID_VALUE;
	if (descriptor->Flags & CUDA_ARRAY3D_CUBEMAP && !is_cube(descriptor))
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_array_channel_bytes(descriptor->Format))
		return sim_call_unsupported("arrays of packed or compressed formats");
	if (descriptor->Flags & ~(unsigned int)KNOWN_FLAGS)
		return sim_call_unsupported("sparse, deferred or special arrays");
	return CUDA_SUCCESS;
}

/* An array's bytes belong to the device's memory but have no address. */
static struct sim_alloc *new_bytes(CUcontext context, size_t size)
{
	struct sim_device *device = context->device;
	struct sim_alloc *alloc;

	if (!sim_device_has_room(device, size))
		return NULL;
	alloc = calloc(1, sizeof(*alloc));
	if (!alloc)
		return NULL;
	*alloc = (struct sim_alloc){.refs = 1,
				    .place = SIM_PLACE_ARRAY,
				    .size_bytes = size,
				    .id = sim_next_id(),
				    .context = context,
				    .device = device,
				    .backing = sim_backing_new_device(size, 0)};
	if (!alloc->backing) {
		free(alloc);
		return NULL;
	}
	device->used_bytes += size;
	return alloc;
}

CUresult sim_array_new(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray *made)
{
	CUarray array = sim_handle_new(SIM_KIND_ARRAY, sizeof(*array));

	if (!array)
		return CUDA_ERROR_OUT_OF_MEMORY;
	array->context = sim_thread_context();
	array->descriptor = *descriptor;
	array->element_bytes =
		sim_array_channel_bytes(descriptor->Format) * descriptor->NumChannels;
	array->row_bytes = array->element_bytes * descriptor->Width;
	array->rows = descriptor->Height ? descriptor->Height : 1;
	array->slices = descriptor->Depth ? descriptor->Depth : 1;
	array->alloc = new_bytes(array->context, array->row_bytes * array->rows * array->slices);
	if (!array->alloc) {
		sim_handle_remove(array);
		free(array);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*made = array;
	return CUDA_SUCCESS;
}

void simulated_placeArray(CUarray array, uint64_t address)
{
	sim_lock();
	if (sim_handle_is(array, SIM_KIND_ARRAY))
		array->place = address;
	sim_unlock();
}

void sim_array_free(CUarray array)
{
	sim_texture_lose(array);
	sim_handle_remove(array);
	sim_memory_put(array->alloc);
	free(array);
}

CUresult sim_cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
	CUresult result;

	if (!pHandle || !pAllocateArray)
		return CUDA_ERROR_INVALID_VALUE;
	result = check(pAllocateArray);
	return result == CUDA_SUCCESS ? sim_array_new(pAllocateArray, pHandle) : result;
}

CUresult sim_cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray)
{
	CUDA_ARRAY3D_DESCRIPTOR descriptor = {0};

	if (!pAllocateArray)
		return CUDA_ERROR_INVALID_VALUE;
	descriptor.Width = pAllocateArray->Width;
	descriptor.Height = pAllocateArray->Height;
	descriptor.Format = pAllocateArray->Format;
	descriptor.NumChannels = pAllocateArray->NumChannels;
	return sim_cuArray3DCreate_v2(pHandle, &descriptor);
}

CUresult sim_cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
	if (!pArrayDescriptor)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(hArray, SIM_KIND_ARRAY))
		return CUDA_ERROR_INVALID_HANDLE;
	*pArrayDescriptor = hArray->descriptor;
	return CUDA_SUCCESS;
}

CUresult sim_cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
	if (!pArrayDescriptor)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(hArray, SIM_KIND_ARRAY))
		return CUDA_ERROR_INVALID_HANDLE;
	*pArrayDescriptor =
		(CUDA_ARRAY_DESCRIPTOR){hArray->descriptor.Width, hArray->descriptor.Height,
					hArray->descriptor.Format, hArray->descriptor.NumChannels};
	return CUDA_SUCCESS;
}

/* As of other memory (H-3, probe 6): work in flight is waited for, unless the schedule shows what
 * happens without. */
static void drain(CUarray array)
{
	if (!sim_schedule_may_defer(array->alloc->id))
		sim_context_wait(array->context);
}

CUresult sim_cuArrayDestroy(CUarray hArray)
{
	if (!sim_handle_is(hArray, SIM_KIND_ARRAY))
		return CUDA_ERROR_INVALID_HANDLE;
	if (hArray->is_level)
		return CUDA_ERROR_INVALID_VALUE;
	drain(hArray);
	if (sim_handle_is(hArray, SIM_KIND_ARRAY))
		sim_array_free(hArray);
	return CUDA_SUCCESS;
}

/* ---- mipmapped arrays ---- */

/* Levels until one texel is left; layers and faces are no extent. */
static unsigned int most_levels(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	size_t most = d->Width > d->Height ? d->Width : d->Height;
	unsigned int levels = 1;

	if (!(d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) && d->Depth > most)
		most = d->Depth;
	while (most >>= 1)
		levels++;
	return levels < SIM_MIPMAP_LEVELS ? levels : SIM_MIPMAP_LEVELS;
}

static size_t halved(size_t extent)
{
	return extent > 1 ? extent / 2 : extent;
}

static void next_level(CUDA_ARRAY3D_DESCRIPTOR *d)
{
	d->Width = halved(d->Width);
	d->Height = halved(d->Height);
	if (!(d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)))
		d->Depth = halved(d->Depth);
}

static void free_levels(CUmipmappedArray mipmap)
{
	while (mipmap->count)
		sim_array_free(mipmap->levels[--mipmap->count]);
	sim_handle_remove(mipmap);
	free(mipmap);
}

static CUresult add_levels(CUmipmappedArray mipmap, CUDA_ARRAY3D_DESCRIPTOR level,
			   unsigned int count)
{
	CUresult result;

	for (; mipmap->count < count; mipmap->count++, next_level(&level)) {
		result = sim_array_new(&level, &mipmap->levels[mipmap->count]);
		if (result != CUDA_SUCCESS)
			return result;
		mipmap->levels[mipmap->count]->is_level = true;
	}
	return CUDA_SUCCESS;
}

CUresult sim_cuMipmappedArrayCreate(CUmipmappedArray *pHandle,
				    const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
				    unsigned int numMipmapLevels)
{
	CUmipmappedArray mipmap;
	unsigned int most;
	CUresult result;

	if (!pHandle || !pMipmappedArrayDesc)
		return CUDA_ERROR_INVALID_VALUE;
	result = check(pMipmappedArrayDesc);
	if (result != CUDA_SUCCESS)
		return result;
	mipmap = sim_handle_new(SIM_KIND_MIPMAP, sizeof(*mipmap));
	if (!mipmap)
		return CUDA_ERROR_OUT_OF_MEMORY;
	most = most_levels(pMipmappedArrayDesc);
	if (!numMipmapLevels || numMipmapLevels > most)
		numMipmapLevels = numMipmapLevels ? most : 1;
	result = add_levels(mipmap, *pMipmappedArrayDesc, numMipmapLevels);
	if (result != CUDA_SUCCESS) {
		free_levels(mipmap);
		return result;
	}
	*pHandle = mipmap;
	return CUDA_SUCCESS;
}

CUresult sim_cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray,
				      unsigned int level)
{
	if (!pLevelArray)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(hMipmappedArray, SIM_KIND_MIPMAP))
		return CUDA_ERROR_INVALID_HANDLE;
	if (level >= hMipmappedArray->count)
		return CUDA_ERROR_INVALID_VALUE;
	*pLevelArray = hMipmappedArray->levels[level];
	return CUDA_SUCCESS;
}

CUresult sim_cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray)
{
	if (!sim_handle_is(hMipmappedArray, SIM_KIND_MIPMAP))
		return CUDA_ERROR_INVALID_HANDLE;
	drain(hMipmappedArray->levels[0]);
	if (sim_handle_is(hMipmappedArray, SIM_KIND_MIPMAP))
		free_levels(hMipmappedArray);
	return CUDA_SUCCESS;
}
