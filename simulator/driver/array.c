/* The array functions of the API. */
#include "simulator/driver/array.h"

#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/context.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/thread.h"

#define KNOWN_FLAGS                                                                \
	(CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP | \
	 CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_COLOR_ATTACHMENT)

/* Bytes of one channel, 0 for a format that is not linear in memory. */
static size_t channel_bytes(CUarray_format format)
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

static CUresult check(const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
	if (!descriptor->Width || descriptor->Width > 131072 || descriptor->Height > 65536 ||
	    descriptor->Depth > 16384)
		return CUDA_ERROR_INVALID_VALUE;
	if (descriptor->NumChannels != 1 && descriptor->NumChannels != 2 &&
	    descriptor->NumChannels != 4)
		return CUDA_ERROR_INVALID_VALUE;
	if (!channel_bytes(descriptor->Format))
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

	if (size > device->total_bytes - device->used_bytes)
		return NULL;
	alloc = calloc(1, sizeof(*alloc));
	if (!alloc)
		return NULL;
	*alloc = (struct sim_alloc){.refs = 1,
				    .place = SIM_PLACE_ARRAY,
				    .size_bytes = size,
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

CUresult sim_cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
	CUarray array;
	CUresult result;

	if (!pHandle || !pAllocateArray)
		return CUDA_ERROR_INVALID_VALUE;
	result = check(pAllocateArray);
	if (result != CUDA_SUCCESS)
		return result;
	array = sim_handle_new(SIM_KIND_ARRAY, sizeof(*array));
	if (!array)
		return CUDA_ERROR_OUT_OF_MEMORY;
	array->context = sim_thread_context();
	array->descriptor = *pAllocateArray;
	array->element_bytes = channel_bytes(pAllocateArray->Format) * pAllocateArray->NumChannels;
	array->row_bytes = array->element_bytes * pAllocateArray->Width;
	array->rows = pAllocateArray->Height ? pAllocateArray->Height : 1;
	array->slices = pAllocateArray->Depth ? pAllocateArray->Depth : 1;
	array->alloc = new_bytes(array->context, array->row_bytes * array->rows * array->slices);
	if (!array->alloc) {
		sim_handle_remove(array);
		free(array);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*pHandle = array;
	return CUDA_SUCCESS;
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

/* Copies in flight hold the bytes. */
CUresult sim_cuArrayDestroy(CUarray hArray)
{
	if (!sim_handle_is(hArray, SIM_KIND_ARRAY))
		return CUDA_ERROR_INVALID_HANDLE;
	sim_handle_remove(hArray);
	sim_memory_put(hArray->alloc);
	free(hArray);
	return CUDA_SUCCESS;
}
