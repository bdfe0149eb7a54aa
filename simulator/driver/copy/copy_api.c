/* The copy functions of the API: each names its two sides and its category. */
#include "simulator/driver/api.h"
#include "simulator/driver/copy/array.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/copy/copy.h"
#include "simulator/driver/handle.h"

#define ADDRESS(pointer) ((uintptr_t)(pointer))

CUresult sim_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
	struct sim_copy_spec spec = sim_copy_linear(dst, false, src, false, ByteCount);

	return sim_copy_sync(&spec);
}

CUresult sim_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
	struct sim_copy_spec spec = sim_copy_linear(dst, false, src, false, ByteCount);

	return sim_copy_async(&spec, hStream);
}

CUresult sim_cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
	struct sim_copy_spec spec =
		sim_copy_linear(dstDevice, true, ADDRESS(srcHost), false, ByteCount);

	return sim_copy_sync(&spec);
}

CUresult sim_cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
				  CUstream hStream)
{
	struct sim_copy_spec spec =
		sim_copy_linear(dstDevice, true, ADDRESS(srcHost), false, ByteCount);

	return sim_copy_async(&spec, hStream);
}

CUresult sim_cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
	struct sim_copy_spec spec =
		sim_copy_linear(ADDRESS(dstHost), false, srcDevice, true, ByteCount);

	return sim_copy_sync(&spec);
}

CUresult sim_cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
				  CUstream hStream)
{
	struct sim_copy_spec spec =
		sim_copy_linear(ADDRESS(dstHost), false, srcDevice, true, ByteCount);

	return sim_copy_async(&spec, hStream);
}

CUresult sim_cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount)
{
	struct sim_copy_spec spec = sim_copy_linear(dstDevice, true, srcDevice, true, ByteCount);

	return sim_copy_sync(&spec);
}

CUresult sim_cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
				  CUstream hStream)
{
	struct sim_copy_spec spec = sim_copy_linear(dstDevice, true, srcDevice, true, ByteCount);

	return sim_copy_async(&spec, hStream);
}

static CUresult peer_spec(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src,
			  CUcontext src_context, size_t size, struct sim_copy_spec *spec)
{
	if (!sim_handle_is(dst_context, SIM_KIND_CONTEXT) ||
	    !sim_handle_is(src_context, SIM_KIND_CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	*spec = sim_copy_linear(dst, true, src, true, size);
	spec->is_peer = true;
	spec->dst.context = dst_context;
	spec->src.context = src_context;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
			  CUcontext srcContext, size_t ByteCount)
{
	struct sim_copy_spec spec;
	CUresult result = peer_spec(dstDevice, dstContext, srcDevice, srcContext, ByteCount, &spec);

	return result == CUDA_SUCCESS ? sim_copy_sync(&spec) : result;
}

CUresult sim_cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
			       CUcontext srcContext, size_t ByteCount, CUstream hStream)
{
	struct sim_copy_spec spec;
	CUresult result = peer_spec(dstDevice, dstContext, srcDevice, srcContext, ByteCount, &spec);

	return result == CUDA_SUCCESS ? sim_copy_async(&spec, hStream) : result;
}

CUresult sim_cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy)
{
	struct sim_copy_spec spec;
	CUresult result = sim_copy_from_2d(pCopy, &spec);

	return result == CUDA_SUCCESS ? sim_copy_sync(&spec) : result;
}

CUresult sim_cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy)
{
	return sim_cuMemcpy2D_v2(pCopy);
}

CUresult sim_cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
	struct sim_copy_spec spec;
	CUresult result = sim_copy_from_2d(pCopy, &spec);

	return result == CUDA_SUCCESS ? sim_copy_async(&spec, hStream) : result;
}

CUresult sim_cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy)
{
	struct sim_copy_spec spec;
	CUresult result = sim_copy_from_3d(pCopy, &spec);

	return result == CUDA_SUCCESS ? sim_copy_sync(&spec) : result;
}

CUresult sim_cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
	struct sim_copy_spec spec;
	CUresult result = sim_copy_from_3d(pCopy, &spec);

	return result == CUDA_SUCCESS ? sim_copy_async(&spec, hStream) : result;
}

CUresult sim_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy)
{
	struct sim_copy_spec spec;
	CUresult result = sim_copy_from_peer(pCopy, &spec);

	return result == CUDA_SUCCESS ? sim_copy_sync(&spec) : result;
}

CUresult sim_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
	struct sim_copy_spec spec;
	CUresult result = sim_copy_from_peer(pCopy, &spec);

	return result == CUDA_SUCCESS ? sim_copy_async(&spec, hStream) : result;
}

/*
 * The offsets of these functions count bytes of a one-dimensional array; on a larger one they
 * reach its first row, as on a device.
 */
static void use_array(struct sim_side *side, CUarray array, size_t offset)
{
	*side = (struct sim_side){.array = array, .x_bytes = offset};
}

CUresult sim_cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
			     size_t ByteCount)
{
	struct sim_copy_spec spec = sim_copy_linear(0, true, srcDevice, true, ByteCount);

	use_array(&spec.dst, dstArray, dstOffset);
	return dstArray ? sim_copy_sync(&spec) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
			     size_t ByteCount)
{
	struct sim_copy_spec spec = sim_copy_linear(dstDevice, true, 0, true, ByteCount);

	use_array(&spec.src, srcArray, srcOffset);
	return srcArray ? sim_copy_sync(&spec) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
			     size_t ByteCount)
{
	struct sim_copy_spec spec = sim_copy_linear(0, true, ADDRESS(srcHost), false, ByteCount);

	use_array(&spec.dst, dstArray, dstOffset);
	return dstArray ? sim_copy_sync(&spec) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
	struct sim_copy_spec spec = sim_copy_linear(ADDRESS(dstHost), false, 0, true, ByteCount);

	use_array(&spec.src, srcArray, srcOffset);
	return srcArray ? sim_copy_sync(&spec) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset,
			     size_t ByteCount)
{
	struct sim_copy_spec spec = sim_copy_linear(0, true, 0, true, ByteCount);

	use_array(&spec.dst, dstArray, dstOffset);
	use_array(&spec.src, srcArray, srcOffset);
	return dstArray && srcArray ? sim_copy_sync(&spec) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
				  size_t ByteCount, CUstream hStream)
{
	struct sim_copy_spec spec = sim_copy_linear(0, true, ADDRESS(srcHost), false, ByteCount);

	use_array(&spec.dst, dstArray, dstOffset);
	return dstArray ? sim_copy_async(&spec, hStream) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset,
				  size_t ByteCount, CUstream hStream)
{
	struct sim_copy_spec spec = sim_copy_linear(ADDRESS(dstHost), false, 0, true, ByteCount);

	use_array(&spec.src, srcArray, srcOffset);
	return srcArray ? sim_copy_async(&spec, hStream) : CUDA_ERROR_INVALID_HANDLE;
}
