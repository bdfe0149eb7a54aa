/* Texture and surface objects: descriptors in the driver's words and back. */
#pragma once

#include "simulator/runtime/driver.h"

CUresult rt_texture_create(const struct rt_calls *cu, cudaTextureObject_t *texture,
			   const struct cudaResourceDesc *resource,
			   const struct cudaTextureDesc *wanted,
			   const struct cudaResourceViewDesc *view);
CUresult rt_texture_resource(const struct rt_calls *cu, struct cudaResourceDesc *resource,
			     cudaTextureObject_t texture);
CUresult rt_texture_view(const struct rt_calls *cu, struct cudaResourceViewDesc *view,
			 cudaTextureObject_t texture);

/* Writes the first bytes of the description. */
CUresult rt_texture_desc(const struct rt_calls *cu, struct cudaTextureDesc *found, size_t bytes,
			 cudaTextureObject_t texture);
CUresult rt_surface_create(const struct rt_calls *cu, cudaSurfaceObject_t *surface,
			   const struct cudaResourceDesc *resource);
CUresult rt_surface_resource(const struct rt_calls *cu, struct cudaResourceDesc *resource,
			     cudaSurfaceObject_t surface);
