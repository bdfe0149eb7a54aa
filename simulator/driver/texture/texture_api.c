/* The functions of the API for texture and surface objects. */
#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/texture/texture.h"

/* Makes a described object live; takes it over. */
static CUresult make(struct sim_texture *texture, unsigned long long *handle)
{
	CUresult result = sim_texture_describe(texture);

	if (result == CUDA_SUCCESS) {
		*handle = sim_texture_add(texture);
		if (*handle)
			return CUDA_SUCCESS;
		result = CUDA_ERROR_OUT_OF_MEMORY;
	}
	free(texture);
	return result;
}

CUresult sim_cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
			       const CUDA_TEXTURE_DESC *pTexDesc,
			       const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
	struct sim_texture *texture;

	if (!pTexObject || !pResDesc || !pTexDesc)
		return CUDA_ERROR_INVALID_VALUE;
	texture = calloc(1, sizeof(*texture));
	if (!texture)
		return CUDA_ERROR_OUT_OF_MEMORY;
	texture->refs = 1;
	texture->resource = *pResDesc;
	texture->sampler = *pTexDesc;
	texture->has_view = pResViewDesc != NULL;
	if (pResViewDesc)
		texture->view = *pResViewDesc;
	return make(texture, pTexObject);
}

CUresult sim_cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc)
{
	struct sim_texture *surface;

	if (!pSurfObject || !pResDesc)
		return CUDA_ERROR_INVALID_VALUE;
	surface = calloc(1, sizeof(*surface));
	if (!surface)
		return CUDA_ERROR_OUT_OF_MEMORY;
	surface->refs = 1;
	surface->resource = *pResDesc;
	surface->made.is_surface = true;
	return make(surface, pSurfObject);
}

static struct sim_texture *find(unsigned long long handle, bool is_surface)
{
	struct sim_texture *texture = sim_texture_find(handle);

	return texture && texture->made.is_surface == is_surface ? texture : NULL;
}

/* A driver takes any number (an H200's, 580.159.04). */
static CUresult destroy(unsigned long long handle, bool is_surface)
{
	if (find(handle, is_surface))
		sim_texture_remove(handle, sim_next_id());
	return CUDA_SUCCESS;
}

static CUresult get_resource(CUDA_RESOURCE_DESC *resource, unsigned long long handle,
			     bool is_surface)
{
	const struct sim_texture *texture = find(handle, is_surface);

	if (!resource || !texture)
		return CUDA_ERROR_INVALID_VALUE;
	*resource = texture->resource;
	return CUDA_SUCCESS;
}

CUresult sim_cuTexObjectDestroy(CUtexObject texObject)
{
	return destroy(texObject, false);
}

CUresult sim_cuSurfObjectDestroy(CUsurfObject surfObject)
{
	return destroy(surfObject, true);
}

CUresult sim_cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject)
{
	return get_resource(pResDesc, texObject, false);
}

CUresult sim_cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject)
{
	return get_resource(pResDesc, surfObject, true);
}

CUresult sim_cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject)
{
	const struct sim_texture *texture = find(texObject, false);

	if (!pTexDesc || !texture)
		return CUDA_ERROR_INVALID_VALUE;
	*pTexDesc = texture->sampler;
	return CUDA_SUCCESS;
}

/* Fails for a texture that was made without a view. */
CUresult sim_cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc,
					    CUtexObject texObject)
{
	const struct sim_texture *texture = find(texObject, false);

	if (!pResViewDesc || !texture || !texture->has_view)
		return CUDA_ERROR_INVALID_VALUE;
	*pResViewDesc = texture->view;
	return CUDA_SUCCESS;
}
