/* A driver that does nothing but take a while: it evicts the first-level caches, as a real one
 * does.
 *
 * For bench/record, to measure what the recorder adds where there is no GPU. Each call that
 * enqueues reads more data and runs more code than the first level holds, so that the recorder
 * starts from the second level each time. It answers what record.c and the recorder ask, and
 * nothing else.
 */
#include <cuda.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT	   __attribute__((visibility("default")))
#define DATA_BYTES (64 << 10)
#define LINE_BYTES 64

static const char bytes[DATA_BYTES] __attribute__((aligned(4096)));

static __attribute__((noinline)) CUresult enqueue(void)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < DATA_BYTES; i += LINE_BYTES)
		sum += *(const volatile char *)&bytes[i];
	__asm__ volatile(".rept 8192\n\t.byte 0x0f,0x1f,0x84,0x00,0,0,0,0\n\t.endr" : : "r"(sum));
	return CUDA_SUCCESS;
}

/* ---- set-up ---- */

EXPORT CUresult cuInit(unsigned flags)
{
	(void)flags;
	return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	*device = ordinal;
	return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetCount(int *count)
{
	*count = 1;
	return CUDA_SUCCESS;
}

static void *const context = (void *)0x1000;

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
	(void)device;
	*out = context;
	return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSetCurrent(CUcontext current)
{
	(void)current;
	return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetCurrent(CUcontext *current)
{
	*current = context;
	return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetDevice(CUdevice *device)
{
	*device = 0;
	return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
	(void)flags;
	*stream = malloc(LINE_BYTES);
	return CUDA_SUCCESS;
}

EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags)
{
	(void)flags;
	*event = malloc(LINE_BYTES);
	return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *memory, size_t size)
{
	static uintptr_t next = UINT64_C(0x700000000000);

	*memory = next;
	next += (size + 4095) & ~(size_t)4095;
	return CUDA_SUCCESS;
}

EXPORT CUresult cuMemHostAlloc(void **memory, size_t size, unsigned flags)
{
	(void)flags;
	*memory = aligned_alloc(4096, (size + 4095) & ~(size_t)4095);
	return CUDA_SUCCESS;
}

EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	(void)image;
	*module = malloc(LINE_BYTES);
	return CUDA_SUCCESS;
}

EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	size_t *last = malloc(LINE_BYTES);

	(void)module;
	*last = strtoul(name + strcspn(name, "0123456789"), NULL, 10);
	*function = (CUfunction)last;
	return CUDA_SUCCESS;
}

/* Two pointers and a number, or as many bytes as the kernel's name says. */
EXPORT CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size)
{
	size_t last = *(const size_t *)function;

	if (index > 2)
		return CUDA_ERROR_INVALID_VALUE;
	*offset = 8 * index;
	*size = index < 2 ? 8 : last ? last : 4;
	return CUDA_SUCCESS;
}

/* ---- what takes a while ---- */

EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
	(void)stream;
	return enqueue();
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream stream)
{
	(void)event, (void)stream;
	return enqueue();
}

EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
	(void)stream, (void)event, (void)flags;
	return enqueue();
}

/* The same memory each time, as a pool gives it out that is used again and again. */
EXPORT CUresult cuMemAllocAsync(CUdeviceptr *memory, size_t size, CUstream stream)
{
	(void)size, (void)stream;
	*memory = UINT64_C(0x600000000000);
	return enqueue();
}

EXPORT CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream)
{
	(void)memory, (void)stream;
	return enqueue();
}

EXPORT CUresult cuEventQuery(CUevent event)
{
	(void)event;
	return enqueue();
}

EXPORT CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream)
{
	(void)to, (void)value, (void)count, (void)stream;
	return enqueue();
}

EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
	(void)to, (void)from, (void)size, (void)stream;
	return enqueue();
}

EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
	(void)to, (void)from, (void)size, (void)stream;
	return enqueue();
}

EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream)
{
	(void)to, (void)from, (void)size, (void)stream;
	return enqueue();
}

EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned bx,
			       unsigned by, unsigned bz, unsigned shared, CUstream stream,
			       void **params, void **extra)
{
	(void)function, (void)x, (void)y, (void)z, (void)bx, (void)by, (void)bz, (void)shared;
	(void)stream, (void)params, (void)extra;
	return enqueue();
}

EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
				 void **extra)
{
	(void)config, (void)function, (void)params, (void)extra;
	return enqueue();
}
