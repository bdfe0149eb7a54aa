/* Pointer attributes. */
#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/stream/stream.h"
#include "simulator/driver/context/thread.h"

/* One answer, in the type that the attribute has. */
union answer {
	void *pointer;
	unsigned long long number;
	unsigned int word;
	int integer;
	bool truth;
	unsigned char bytes[sizeof(unsigned long long)];
};

static bool is_on_host(const struct sim_alloc *alloc)
{
	return alloc->place == SIM_PLACE_PINNED || alloc->place == SIM_PLACE_REGISTERED;
}

static CUcontext context_of(const struct sim_alloc *alloc)
{
	return alloc->context;
}

static int ordinal_of(const struct sim_alloc *alloc)
{
	if (alloc->device)
		return alloc->device->ordinal;
	return alloc->context ? alloc->context->device->ordinal : 0;
}

/* Sets the answer and its size; false for an attribute that is not known. */
static bool answer_for(const struct sim_alloc *alloc, CUdeviceptr address,
		       CUpointer_attribute attribute, union answer *answer, size_t *size)
{
#define ANSWER(member, value)           \
	answer->member = (value);       \
	*size = sizeof(answer->member); \
	return true
	switch ((int)attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT: ANSWER(pointer, context_of(alloc));
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		ANSWER(word, is_on_host(alloc) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: ANSWER(number, address);
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		ANSWER(pointer, alloc->place == SIM_PLACE_DEVICE ? NULL : (void *)address);
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: ANSWER(integer, alloc->sync_memops);
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
	case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: ANSWER(number, alloc->id);
	case CU_POINTER_ATTRIBUTE_IS_MANAGED: ANSWER(truth, alloc->place == SIM_PLACE_MANAGED);
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: ANSWER(integer, ordinal_of(alloc));
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
		ANSWER(truth, alloc->place == SIM_PLACE_DEVICE && !alloc->pool &&
				      !alloc->physical && !alloc->graph_memory);
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: ANSWER(truth, false);
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: ANSWER(pointer, (void *)alloc->base);
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
	case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: ANSWER(number, alloc->size_bytes);
	case CU_POINTER_ATTRIBUTE_MAPPED: ANSWER(truth, true);
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: ANSWER(number, 0);
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		ANSWER(word, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: ANSWER(pointer, alloc->pool);
	}
#undef ANSWER
	return false;
}

CUresult sim_cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
	const struct sim_alloc *alloc = sim_memory_find(ptr);
	union answer answer = {0};
	size_t size;

	if (!data || !alloc || !answer_for(alloc, ptr, attribute, &answer, &size))
		return CUDA_ERROR_INVALID_VALUE;
	if (attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER && !answer.pointer)
		return CUDA_ERROR_INVALID_VALUE; /* no host pointer to device memory */
	memcpy(data, answer.bytes, size);
	return CUDA_SUCCESS;
}

/* An address that is nobody's is no error here: its answers are zero. */
CUresult sim_cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes,
				    void **data, CUdeviceptr ptr)
{
	static const struct sim_alloc nobody = {.place = SIM_PLACE_DEVICE};
	const struct sim_alloc *alloc = sim_memory_find(ptr);
	union answer answer;
	unsigned int i;
	size_t size;

	if (!attributes || !data)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < numAttributes; i++) {
		memset(&answer, 0, sizeof(answer));
		if (!data[i] ||
		    !answer_for(alloc ? alloc : &nobody, ptr, attributes[i], &answer, &size))
			return CUDA_ERROR_INVALID_VALUE;
		if (!alloc) {
			memset(&answer, 0, sizeof(answer));
			if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
				answer.integer = CU_DEVICE_INVALID;
		}
		memcpy(data[i], answer.bytes, size);
	}
	return CUDA_SUCCESS;
}

/* Turning SYNC_MEMOPS on waits for the synchronous operations of before (H-3). */
CUresult sim_cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
				   CUdeviceptr ptr)
{
	struct sim_alloc *alloc = sim_memory_find(ptr);

	if (!value || !alloc || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
		return CUDA_ERROR_INVALID_VALUE;
	alloc->sync_memops = *(const unsigned int *)value != 0;
	if (!alloc->sync_memops)
		return CUDA_SUCCESS;
	return sim_stream_wait(sim_thread_context()->legacy);
}
