/* Creates texture and surface objects and reads their descriptors back. */
#include "simulator/runtime/texture.h"

#include <string.h>

#include "simulator/runtime/array.h"
#include "simulator/runtime/version.h"

static CUresult encode_resource(const struct cudaResourceDesc *from, CUDA_RESOURCE_DESC *to)
{
	memset(to, 0, sizeof(*to));
	to->resType = (int)from->resType;
	to->flags = from->flags;
	switch (from->resType) {
	case cudaResourceTypeArray:
		to->res.array.hArray = (CUarray)(void *)from->res.array.array;
		return CUDA_SUCCESS;
	case cudaResourceTypeMipmappedArray:
		to->res.mipmap.hMipmappedArray = (CUmipmappedArray)(void *)from->res.mipmap.mipmap;
		return CUDA_SUCCESS;
	case cudaResourceTypeLinear:
		to->res.linear.devPtr = rt_address(from->res.linear.devPtr);
		to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
		return rt_format_encode(&from->res.linear.desc, &to->res.linear.format,
					&to->res.linear.numChannels);
	case cudaResourceTypePitch2D:
		to->res.pitch2D.devPtr = rt_address(from->res.pitch2D.devPtr);
		to->res.pitch2D.width = from->res.pitch2D.width;
		to->res.pitch2D.height = from->res.pitch2D.height;
		to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
		return rt_format_encode(&from->res.pitch2D.desc, &to->res.pitch2D.format,
					&to->res.pitch2D.numChannels);
	}
	return CUDA_ERROR_INVALID_VALUE;
}

static CUresult decode_resource_wide(const CUDA_RESOURCE_DESC *from, struct cudaResourceDesc *to)
{
	memset(to, 0, sizeof(*to));
	to->resType = (int)from->resType;
	to->flags = from->flags;
	switch (to->resType) {
	case cudaResourceTypeArray:
		to->res.array.array = (cudaArray_t)(void *)from->res.array.hArray;
		return CUDA_SUCCESS;
	case cudaResourceTypeMipmappedArray:
		to->res.mipmap.mipmap =
			(cudaMipmappedArray_t)(void *)from->res.mipmap.hMipmappedArray;
		return CUDA_SUCCESS;
	case cudaResourceTypeLinear:
		to->res.linear.devPtr = (void *)from->res.linear.devPtr;
		to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
		return rt_format_decode(from->res.linear.format, from->res.linear.numChannels,
					&to->res.linear.desc);
	case cudaResourceTypePitch2D:
		to->res.pitch2D.devPtr = (void *)from->res.pitch2D.devPtr;
		to->res.pitch2D.width = from->res.pitch2D.width;
		to->res.pitch2D.height = from->res.pitch2D.height;
		to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
		return rt_format_decode(from->res.pitch2D.format, from->res.pitch2D.numChannels,
					&to->res.pitch2D.desc);
	}
	return CUDA_ERROR_INVALID_VALUE;
}

/* As long as the program's version has it. */
static CUresult decode_resource(const CUDA_RESOURCE_DESC *from, struct cudaResourceDesc *to)
{
	struct cudaResourceDesc wide;
	CUresult err = decode_resource_wide(from, &wide);

	if (!err)
		memcpy(to, &wide, RT_BYTES_cudaResourceDesc);
	return err;
}

/* Each public switch and the driver's flag that it sets. */
static unsigned int encode_flags(const struct cudaTextureDesc *from)
{
	unsigned int flags = 0;

	flags |= from->readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0;
	flags |= from->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0;
	flags |= from->sRGB ? CU_TRSF_SRGB : 0;
	flags |= from->disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0;
	flags |= from->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0;
	return flags;
}

static void encode_texture(const struct cudaTextureDesc *from, CUDA_TEXTURE_DESC *to)
{
	memset(to, 0, sizeof(*to));
	for (int i = 0; i < 3; i++)
		to->addressMode[i] = (int)from->addressMode[i];
	to->filterMode = (int)from->filterMode;
	to->flags = encode_flags(from);
	to->maxAnisotropy = from->maxAnisotropy;
	to->mipmapFilterMode = (int)from->mipmapFilterMode;
	to->mipmapLevelBias = from->mipmapLevelBias;
	to->minMipmapLevelClamp = from->minMipmapLevelClamp;
	to->maxMipmapLevelClamp = from->maxMipmapLevelClamp;
	memcpy(to->borderColor, from->borderColor, sizeof(to->borderColor));
}

static void decode_texture(const CUDA_TEXTURE_DESC *from, struct cudaTextureDesc *to)
{
	memset(to, 0, sizeof(*to));
	for (int i = 0; i < 3; i++)
		to->addressMode[i] = (int)from->addressMode[i];
	to->filterMode = (int)from->filterMode;
	to->readMode = from->flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType
							     : cudaReadModeNormalizedFloat;
	to->normalizedCoords = !!(from->flags & CU_TRSF_NORMALIZED_COORDINATES);
	to->sRGB = !!(from->flags & CU_TRSF_SRGB);
	to->disableTrilinearOptimization = !!(from->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
	to->seamlessCubemap = !!(from->flags & CU_TRSF_SEAMLESS_CUBEMAP);
	to->maxAnisotropy = from->maxAnisotropy;
	to->mipmapFilterMode = (int)from->mipmapFilterMode;
	to->mipmapLevelBias = from->mipmapLevelBias;
	to->minMipmapLevelClamp = from->minMipmapLevelClamp;
	to->maxMipmapLevelClamp = from->maxMipmapLevelClamp;
	memcpy(to->borderColor, from->borderColor, sizeof(to->borderColor));
}

CUresult rt_texture_create(const struct rt_calls *cu, cudaTextureObject_t *texture,
			   const struct cudaResourceDesc *resource,
			   const struct cudaTextureDesc *wanted,
			   const struct cudaResourceViewDesc *view)
{
	CUDA_RESOURCE_DESC driver_resource;
	CUDA_TEXTURE_DESC driver_texture;
	CUresult err;

	if (!texture || !resource || !wanted)
		return CUDA_ERROR_INVALID_VALUE;
	err = encode_resource(RT_WIDE(cudaResourceDesc, resource), &driver_resource);
	if (err)
		return err;
	encode_texture(wanted, &driver_texture);
	return cu->cuTexObjectCreate(texture, &driver_resource, &driver_texture,
				     RT_WIDE(cudaResourceViewDesc, view));
}

CUresult rt_texture_resource(const struct rt_calls *cu, struct cudaResourceDesc *resource,
			     cudaTextureObject_t texture)
{
	CUDA_RESOURCE_DESC found;
	CUresult err;

	if (!resource)
		return CUDA_ERROR_INVALID_VALUE;
	err = cu->cuTexObjectGetResourceDesc(&found, texture);
	return err ? err : decode_resource(&found, resource);
}

CUresult rt_texture_view(const struct rt_calls *cu, struct cudaResourceViewDesc *view,
			 cudaTextureObject_t texture)
{
	CUDA_RESOURCE_VIEW_DESC found;
	CUresult err;

	if (!view)
		return CUDA_ERROR_INVALID_VALUE;
	err = cu->cuTexObjectGetResourceViewDesc(&found, texture);
	if (!err)
		memcpy(view, &found, RT_BYTES_cudaResourceViewDesc);
	return err;
}

CUresult rt_texture_desc(const struct rt_calls *cu, struct cudaTextureDesc *found, size_t bytes,
			 cudaTextureObject_t texture)
{
	struct cudaTextureDesc wide;
	CUDA_TEXTURE_DESC driver;
	CUresult err;

	if (!found)
		return CUDA_ERROR_INVALID_VALUE;
	err = cu->cuTexObjectGetTextureDesc(&driver, texture);
	if (err)
		return err;
	decode_texture(&driver, &wide);
	memcpy(found, &wide, bytes);
	return CUDA_SUCCESS;
}

CUresult rt_surface_create(const struct rt_calls *cu, cudaSurfaceObject_t *surface,
			   const struct cudaResourceDesc *resource)
{
	CUDA_RESOURCE_DESC driver;
	CUresult err;

	if (!surface || !resource)
		return CUDA_ERROR_INVALID_VALUE;
	err = encode_resource(RT_WIDE(cudaResourceDesc, resource), &driver);
	return err ? err : cu->cuSurfObjectCreate(surface, &driver);
}

CUresult rt_surface_resource(const struct rt_calls *cu, struct cudaResourceDesc *resource,
			     cudaSurfaceObject_t surface)
{
	CUDA_RESOURCE_DESC found;
	CUresult err;

	if (!resource)
		return CUDA_ERROR_INVALID_VALUE;
	err = cu->cuSurfObjectGetResourceDesc(&found, surface);
	return err ? err : decode_resource(&found, resource);
}
