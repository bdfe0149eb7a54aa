/* Allocates memory of every kind and reports what a pointer points at. */
#include "simulator/runtime/memory.h"

#include "simulator/runtime/properties.h"
#include "simulator/runtime/register.h"
#include "simulator/runtime/version.h"

/* The element size that the driver aligns rows for: the largest of a coalesced access. */
#define PITCH_ELEMENT_BYTES 16

CUresult rt_malloc(const struct rt_calls *cu, void **memory, size_t size)
{
	if (!memory)
		return CUDA_ERROR_INVALID_VALUE;
	*memory = NULL;
	return size ? cu->cuMemAlloc((CUdeviceptr *)memory, size) : CUDA_SUCCESS;
}

CUresult rt_host_alloc(const struct rt_calls *cu, void **memory, size_t size, unsigned int flags)
{
	if (!memory)
		return CUDA_ERROR_INVALID_VALUE;
	*memory = NULL;
	return size ? cu->cuMemHostAlloc(memory, size, flags) : CUDA_SUCCESS;
}

CUresult rt_malloc_managed(const struct rt_calls *cu, void **memory, size_t size,
			   unsigned int flags)
{
	if (!memory)
		return CUDA_ERROR_INVALID_VALUE;
	*memory = NULL;
	return size ? cu->cuMemAllocManaged((CUdeviceptr *)memory, size, flags) : CUDA_SUCCESS;
}

CUresult rt_malloc_pitch(const struct rt_calls *cu, void **memory, size_t *pitch, size_t width,
			 size_t height)
{
	if (!memory || !pitch)
		return CUDA_ERROR_INVALID_VALUE;
	*memory = NULL;
	*pitch = 0;
	if (!width || !height)
		return CUDA_SUCCESS;
	return cu->cuMemAllocPitch((CUdeviceptr *)memory, pitch, width, height,
				   PITCH_ELEMENT_BYTES);
}

CUresult rt_malloc_3d(const struct rt_calls *cu, struct cudaPitchedPtr *memory,
		      struct cudaExtent extent)
{
	size_t rows;

	if (!memory || __builtin_mul_overflow(extent.height, extent.depth, &rows))
		return CUDA_ERROR_INVALID_VALUE;
	memory->xsize = extent.width;
	memory->ysize = extent.height;
	return rt_malloc_pitch(cu, &memory->ptr, &memory->pitch, extent.width, rows);
}

CUresult rt_malloc_async(const struct rt_calls *cu, void **memory, size_t size, CUmemoryPool pool,
			 cudaStream_t stream)
{
	if (!memory)
		return CUDA_ERROR_INVALID_VALUE;
	*memory = NULL;
	if (!size)
		return CUDA_SUCCESS;
	if (pool)
		return cu->cuMemAllocFromPoolAsync((CUdeviceptr *)memory, size, pool, stream);
	return cu->cuMemAllocAsync((CUdeviceptr *)memory, size, stream);
}

static enum cudaMemoryType type_of(unsigned int memory_type, int is_managed)
{
	if (is_managed)
		return cudaMemoryTypeManaged;
	switch (memory_type) {
	case CU_MEMORYTYPE_HOST: return cudaMemoryTypeHost;
	case CU_MEMORYTYPE_DEVICE: return cudaMemoryTypeDevice;
	case CU_MEMORYTYPE_ARRAY: return cudaMemoryTypeDevice;
	case CU_MEMORYTYPE_UNIFIED: return cudaMemoryTypeManaged;
	}
	return cudaMemoryTypeUnregistered;
}

CUresult rt_pointer_attributes(const struct rt_calls *cu, struct cudaPointerAttributes *attributes,
			       const void *pointer)
{
	struct cudaPointerAttributes answer;
	unsigned int memory_type = 0;
	int is_managed = 0;
	int device = cudaInvalidDeviceId;
	CUdeviceptr device_pointer = 0;
	void *host_pointer = NULL;
	CUpointer_attribute wanted[] = {
		CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_IS_MANAGED,
		CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
		CU_POINTER_ATTRIBUTE_HOST_POINTER,
	};
	void *found[] = {&memory_type, &is_managed, &device, &device_pointer, &host_pointer};
	CUresult err;

	if (!attributes)
		return CUDA_ERROR_INVALID_VALUE;
	err = cu->cuPointerGetAttributes(sizeof(wanted) / sizeof(wanted[0]), wanted, found,
					 rt_address(pointer));
	if (err)
		return err;
	answer = (struct cudaPointerAttributes){
		.type = type_of(memory_type, is_managed),
		.device = device,
		.devicePointer = (void *)device_pointer,
		.hostPointer = host_pointer,
	};
	if (answer.type == cudaMemoryTypeUnregistered) {
		answer.device = cudaInvalidDeviceId;
		answer.hostPointer = (void *)pointer;
	}
	memcpy(attributes, &answer, RT_BYTES_cudaPointerAttributes);
	return CUDA_SUCCESS;
}

CUresult rt_symbol_address(void **address, const void *symbol)
{
	size_t size = 0;

	if (!address)
		return CUDA_ERROR_INVALID_VALUE;
	return rt_variable(symbol, (CUdeviceptr *)address, &size);
}

CUresult rt_symbol_size(size_t *size, const void *symbol)
{
	CUdeviceptr address = 0;

	if (!size)
		return CUDA_ERROR_INVALID_VALUE;
	return rt_variable(symbol, &address, size);
}

CUmemLocation rt_location(struct cudaMemLocation location)
{
	CUmemLocation driver = {.type = (int)location.type, .id = location.id};

	if (location.type == cudaMemLocationTypeDevice)
		driver.id = rt_device_handle(location.id);
	return driver;
}
