/* External memory (rule W-5): a file in memory that another side has as well.
 *
 * Each mapping of a part of it is device memory with an address of its own, to be freed like other
 * device memory; it outlives the handle.
 */
#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/memory/range.h"
#include "simulator/driver/ipc/share.h"
#include "simulator/driver/context/thread.h"

struct CUextMemory_st {
	struct sim_backing *backing; /* counted */
	size_t size_bytes;
};

CUresult sim_cuImportExternalMemory(CUexternalMemory *extMem_out,
				    const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc)
{
	CUexternalMemory made;
	int fd;

	if (!extMem_out || !memHandleDesc || !memHandleDesc->size)
		return CUDA_ERROR_INVALID_VALUE;
	if (memHandleDesc->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD)
		return sim_call_unsupported("this type of external memory");
	fd = memHandleDesc->handle.fd;
	if (!sim_share_is_file(fd, memHandleDesc->size))
		return CUDA_ERROR_INVALID_VALUE;
	made = sim_handle_new(SIM_KIND_EXTERNAL, sizeof(*made));
	if (!made)
		return CUDA_ERROR_OUT_OF_MEMORY;
	made->size_bytes = memHandleDesc->size;
	made->backing = sim_backing_new_imported(fd, memHandleDesc->size);
	if (made->backing) {
		*extMem_out = made;
		return CUDA_SUCCESS;
	}
	sim_handle_remove(made);
	free(made);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult map(CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *wanted,
		    CUdeviceptr *address)
{
	CUcontext context = sim_thread_context();
	uintptr_t base = sim_range_take(wanted->size);

	if (!base)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!sim_range_show(base, wanted->size, memory->backing->bytes + wanted->offset)) {
		sim_range_give(base, wanted->size);
		return sim_call_unsupported("host access to a part of external memory");
	}
	sim_backing_get(memory->backing);
	if (!sim_memory_add((struct sim_alloc){.place = SIM_PLACE_DEVICE,
					       .base = base,
					       .size_bytes = wanted->size,
					       .context = context,
					       .device = context->device,
					       .backing = memory->backing,
					       .backing_offset = wanted->offset})) {
		sim_range_give(base, wanted->size);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*address = base;
	return CUDA_SUCCESS;
}

CUresult sim_cuExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr, CUexternalMemory extMem,
					     const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc)
{
	if (!sim_handle_is(extMem, SIM_KIND_EXTERNAL))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!devPtr || !bufferDesc || bufferDesc->flags || !bufferDesc->size ||
	    bufferDesc->offset > extMem->size_bytes ||
	    bufferDesc->size > extMem->size_bytes - bufferDesc->offset)
		return CUDA_ERROR_INVALID_VALUE;
	return map(extMem, bufferDesc, devPtr);
}

CUresult sim_cuDestroyExternalMemory(CUexternalMemory extMem)
{
	if (!sim_handle_is(extMem, SIM_KIND_EXTERNAL))
		return CUDA_ERROR_INVALID_HANDLE;
	sim_handle_remove(extMem);
	sim_backing_put(extMem->backing);
	free(extMem);
	return CUDA_SUCCESS;
}
