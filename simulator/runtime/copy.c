/* Turns linear copies of the runtime into the driver's calls. */
#include "simulator/runtime/copy.h"

#include "simulator/runtime/context.h"
#include "simulator/runtime/register.h"

/* The driver's linear copies all have a device on one side, so one between hosts is a rectangle. */
static CUDA_MEMCPY2D between_hosts(void *to, const void *from, size_t count)
{
	return (CUDA_MEMCPY2D){
		.srcMemoryType = CU_MEMORYTYPE_HOST,
		.srcHost = from,
		.srcPitch = count,
		.dstMemoryType = CU_MEMORYTYPE_HOST,
		.dstHost = to,
		.dstPitch = count,
		.WidthInBytes = count,
		.Height = 1,
	};
}

CUresult rt_copy(const struct rt_calls *cu, void *to, const void *from, size_t count,
		 enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY2D row = between_hosts(to, from, count);
	CUdeviceptr d = rt_address(to), s = rt_address(from);

	if (!count)
		return CUDA_SUCCESS;
	switch (kind) {
	case cudaMemcpyHostToHost: return cu->cuMemcpy2DUnaligned(&row);
	case cudaMemcpyHostToDevice: return cu->cuMemcpyHtoD(d, from, count);
	case cudaMemcpyDeviceToHost: return cu->cuMemcpyDtoH(to, s, count);
	case cudaMemcpyDeviceToDevice: return cu->cuMemcpyDtoD(d, s, count);
	case cudaMemcpyDefault: return cu->cuMemcpy(d, s, count);
	}
	return rt_fail(cudaErrorInvalidMemcpyDirection);
}

CUresult rt_copy_async(const struct rt_calls *cu, void *to, const void *from, size_t count,
		       enum cudaMemcpyKind kind, cudaStream_t stream)
{
	CUDA_MEMCPY2D row = between_hosts(to, from, count);
	CUdeviceptr d = rt_address(to), s = rt_address(from);

	if (!count)
		return CUDA_SUCCESS;
	switch (kind) {
	case cudaMemcpyHostToHost: return cu->cuMemcpy2DAsync(&row, stream);
	case cudaMemcpyHostToDevice: return cu->cuMemcpyHtoDAsync(d, from, count, stream);
	case cudaMemcpyDeviceToHost: return cu->cuMemcpyDtoHAsync(to, s, count, stream);
	case cudaMemcpyDeviceToDevice: return cu->cuMemcpyDtoDAsync(d, s, count, stream);
	case cudaMemcpyDefault: return cu->cuMemcpyAsync(d, s, count, stream);
	}
	return rt_fail(cudaErrorInvalidMemcpyDirection);
}

static CUresult contexts_of(int to_device, int from_device, CUcontext *to, CUcontext *from)
{
	CUresult err = rt_context_primary(to_device, to);

	return err ? err : rt_context_primary(from_device, from);
}

CUresult rt_copy_peer(const struct rt_calls *cu, void *to, int to_device, const void *from,
		      int from_device, size_t count)
{
	CUcontext d = NULL, s = NULL;
	CUresult err = contexts_of(to_device, from_device, &d, &s);

	return err ? err : cu->cuMemcpyPeer(rt_address(to), d, rt_address(from), s, count);
}

CUresult rt_copy_peer_async(const struct rt_calls *cu, void *to, int to_device, const void *from,
			    int from_device, size_t count, cudaStream_t stream)
{
	CUcontext d = NULL, s = NULL;
	CUresult err = contexts_of(to_device, from_device, &d, &s);

	if (err)
		return err;
	return cu->cuMemcpyPeerAsync(rt_address(to), d, rt_address(from), s, count, stream);
}

CUresult rt_symbol_range(const void *symbol, size_t offset, size_t count, void **address)
{
	CUdeviceptr base = 0;
	size_t size = 0;
	CUresult err = rt_variable(symbol, &base, &size);

	if (err)
		return err;
	if (offset > size || count > size - offset)
		return CUDA_ERROR_INVALID_VALUE;
	*address = (void *)(base + offset);
	return CUDA_SUCCESS;
}

static CUresult copy_when(const struct rt_calls *cu, void *to, const void *from, size_t count,
			  enum cudaMemcpyKind kind, struct rt_when when)
{
	if (when.is_async)
		return rt_copy_async(cu, to, from, count, kind, when.stream);
	return rt_copy(cu, to, from, count, kind);
}

CUresult rt_copy_to_symbol(const struct rt_calls *cu, const void *symbol, const void *from,
			   size_t count, size_t offset, enum cudaMemcpyKind kind,
			   struct rt_when when)
{
	void *to = NULL;
	CUresult err = rt_symbol_range(symbol, offset, count, &to);

	if (err)
		return err;
	if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost)
		return rt_fail(cudaErrorInvalidMemcpyDirection);
	return copy_when(cu, to, from, count, kind, when);
}

CUresult rt_copy_from_symbol(const struct rt_calls *cu, void *to, const void *symbol, size_t count,
			     size_t offset, enum cudaMemcpyKind kind, struct rt_when when)
{
	void *from = NULL;
	CUresult err = rt_symbol_range(symbol, offset, count, &from);

	if (err)
		return err;
	if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice)
		return rt_fail(cudaErrorInvalidMemcpyDirection);
	return copy_when(cu, to, from, count, kind, when);
}
