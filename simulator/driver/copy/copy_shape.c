/* Translations of the API's copy structures into one shape. */
#include "simulator/driver/copy/copy.h"

#include "simulator/driver/call.h"

static CUresult fill_side(CUmemorytype type, uintptr_t host, CUdeviceptr device, CUarray array,
			  struct sim_side *side)
{
	switch ((unsigned int)type) {
	case CU_MEMORYTYPE_HOST: side->address = host; return CUDA_SUCCESS;
	case CU_MEMORYTYPE_DEVICE:
		side->address = device;
		side->is_device = true;
		return CUDA_SUCCESS;
	case CU_MEMORYTYPE_UNIFIED: side->address = device; return CUDA_SUCCESS;
	case CU_MEMORYTYPE_ARRAY:
		side->array = array;
		return array ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_copy_from_2d(const CUDA_MEMCPY2D *api, struct sim_copy_spec *spec)
{
	CUresult result;

	if (!api)
		return CUDA_ERROR_INVALID_VALUE;
	*spec = (struct sim_copy_spec){
		.width_bytes = api->WidthInBytes, .height = api->Height, .depth = 1};
	result = fill_side(api->srcMemoryType, (uintptr_t)api->srcHost, api->srcDevice,
			   api->srcArray, &spec->src);
	if (result == CUDA_SUCCESS)
		result = fill_side(api->dstMemoryType, (uintptr_t)api->dstHost, api->dstDevice,
				   api->dstArray, &spec->dst);
	spec->src.x_bytes = api->srcXInBytes;
	spec->src.y = api->srcY;
	spec->src.pitch_bytes = api->srcPitch;
	spec->dst.x_bytes = api->dstXInBytes;
	spec->dst.y = api->dstY;
	spec->dst.pitch_bytes = api->dstPitch;
	return result;
}

/* CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER differ in two fields a side only. */
#define FROM_3D(api, spec)                                 \
	do {                                               \
		(spec)->src.x_bytes = (api)->srcXInBytes;  \
		(spec)->src.y = (api)->srcY;               \
		(spec)->src.z = (api)->srcZ;               \
		(spec)->src.pitch_bytes = (api)->srcPitch; \
		(spec)->src.height = (api)->srcHeight;     \
		(spec)->dst.x_bytes = (api)->dstXInBytes;  \
		(spec)->dst.y = (api)->dstY;               \
		(spec)->dst.z = (api)->dstZ;               \
		(spec)->dst.pitch_bytes = (api)->dstPitch; \
		(spec)->dst.height = (api)->dstHeight;     \
		(spec)->width_bytes = (api)->WidthInBytes; \
		(spec)->height = (api)->Height;            \
		(spec)->depth = (api)->Depth;              \
	} while (0)

CUresult sim_copy_from_3d(const CUDA_MEMCPY3D *api, struct sim_copy_spec *spec)
{
	CUresult result;

	*spec = (struct sim_copy_spec){0};
	if (!api || api->srcLOD || api->dstLOD)
		return CUDA_ERROR_INVALID_VALUE;
	result = fill_side(api->srcMemoryType, (uintptr_t)api->srcHost, api->srcDevice,
			   api->srcArray, &spec->src);
	if (result == CUDA_SUCCESS)
		result = fill_side(api->dstMemoryType, (uintptr_t)api->dstHost, api->dstDevice,
				   api->dstArray, &spec->dst);
	FROM_3D(api, spec);
	return result;
}

CUresult sim_copy_from_peer(const CUDA_MEMCPY3D_PEER *api, struct sim_copy_spec *spec)
{
	CUresult result;

	*spec = (struct sim_copy_spec){.is_peer = true};
	if (!api || api->srcLOD || api->dstLOD)
		return CUDA_ERROR_INVALID_VALUE;
	result = fill_side(api->srcMemoryType, (uintptr_t)api->srcHost, api->srcDevice,
			   api->srcArray, &spec->src);
	if (result == CUDA_SUCCESS)
		result = fill_side(api->dstMemoryType, (uintptr_t)api->dstHost, api->dstDevice,
				   api->dstArray, &spec->dst);
	FROM_3D(api, spec);
	spec->src.context = api->srcContext;
	spec->dst.context = api->dstContext;
	return result;
}

/* The type that a side is of: as it was given, or as its address says today. */
static CUmemorytype type_of(const struct sim_side *side)
{
	const struct sim_alloc *alloc;

	if (side->array)
		return CU_MEMORYTYPE_ARRAY;
	alloc = sim_memory_find(side->address);
	if (side->is_device || (alloc && alloc->place >= SIM_PLACE_MANAGED))
		return CU_MEMORYTYPE_DEVICE;
	return CU_MEMORYTYPE_HOST;
}

void sim_copy_to_3d(const struct sim_copy_spec *spec, CUDA_MEMCPY3D *api)
{
	*api = (CUDA_MEMCPY3D){.srcXInBytes = spec->src.x_bytes,
			       .srcY = spec->src.y,
			       .srcZ = spec->src.z,
			       .srcMemoryType = type_of(&spec->src),
			       .srcArray = spec->src.array,
			       .srcPitch = spec->src.pitch_bytes,
			       .srcHeight = spec->src.height,
			       .dstXInBytes = spec->dst.x_bytes,
			       .dstY = spec->dst.y,
			       .dstZ = spec->dst.z,
			       .dstMemoryType = type_of(&spec->dst),
			       .dstArray = spec->dst.array,
			       .dstPitch = spec->dst.pitch_bytes,
			       .dstHeight = spec->dst.height,
			       .WidthInBytes = spec->width_bytes,
			       .Height = spec->height,
			       .Depth = spec->depth};
	if (api->srcMemoryType == CU_MEMORYTYPE_HOST)
		api->srcHost = (const void *)spec->src.address;
	else
		api->srcDevice = spec->src.array ? 0 : spec->src.address;
	if (api->dstMemoryType == CU_MEMORYTYPE_HOST)
		api->dstHost = (void *)spec->dst.address;
	else
		api->dstDevice = spec->dst.array ? 0 : spec->dst.address;
}

bool sim_copy_is_order(CUmemcpySrcAccessOrder order)
{
	return order >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM &&
	       order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
}

CUresult sim_copy_check_batch(const CUmemcpyAttributes *attrs, const size_t *indexes,
			      size_t attr_count, size_t count)
{
	size_t k;

	if (!attrs || !indexes || !attr_count || attr_count > count || indexes[0])
		return CUDA_ERROR_INVALID_VALUE;
	for (k = 0; k < attr_count; k++)
		if (indexes[k] >= count || (k && indexes[k] <= indexes[k - 1]) ||
		    !sim_copy_is_order(attrs[k].srcAccessOrder))
			return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

static CUresult read_pointer(const CUfabricCpyOperand *operand, uintptr_t *address)
{
	switch ((int)operand->type) {
	case CU_FABRIC_COPY_OPERAND_TYPE_POINTER:
		*address = operand->op.ptr.ptr;
		return *address ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	case CU_FABRIC_COPY_OPERAND_TYPE_LOGICAL_ENDPOINT:
		return sim_call_unsupported("a copy over a fabric with a logical endpoint");
	}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_copy_from_fabric(const CUDA_FABRIC_COPY_BATCH_OP *ops, size_t count,
			      struct sim_copy_spec *specs)
{
	CUresult result = CUDA_SUCCESS;
	uintptr_t dst = 0, src = 0;
	size_t i;

	for (i = 0; i < count && result == CUDA_SUCCESS; i++) {
		result = ops[i].flags ? CUDA_ERROR_INVALID_VALUE : read_pointer(&ops[i].dst, &dst);
		if (result == CUDA_SUCCESS)
			result = read_pointer(&ops[i].src, &src);
		specs[i] = sim_copy_linear(dst, false, src, false, ops[i].size);
	}
	return result;
}
