/*
 * Copies of boxes. The public parameters count in elements where an array takes part and in bytes
 * otherwise; the driver always counts rows in bytes.
 */
#pragma once

#include "simulator/runtime/copy.h"

CUresult rt_copy_3d(const struct rt_calls *cu, const struct cudaMemcpy3DParms *copy,
		    struct rt_when when);
CUresult rt_copy_3d_peer(const struct rt_calls *cu, const struct cudaMemcpy3DPeerParms *copy,
			 struct rt_when when);

/* The driver's form of a box copy, and back. */
CUresult rt_copy_3d_encode(const struct rt_calls *cu, const struct cudaMemcpy3DParms *copy,
			   CUDA_MEMCPY3D *driver);
CUresult rt_copy_3d_decode(const struct rt_calls *cu, const CUDA_MEMCPY3D *driver,
			   struct cudaMemcpy3DParms *copy);
