/* External semaphores (rule W-4): a word that another side reads and writes as well.
 *
 * The descriptor is that of a file in memory that cannot shrink; its first 8 bytes are the value of
 * a timeline semaphore, or how often a binary one was signalled. So signals are writes of a value,
 * and waits are waits for one; the n-th wait for a binary semaphore is for its n-th signal.
 */
#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/capture.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/memory.h"
#include "simulator/driver/share.h"
#include "simulator/driver/stream.h"

#define PAGE_BYTES 4096

struct CUextSemaphore_st {
	struct sim_alloc *page; /* counted */
	bool is_binary;
	uint64_t signals, waits; /* of a binary one */
};

/* Takes the backing over. NULL when out of memory. */
static struct sim_alloc *new_page(struct sim_backing *backing)
{
	struct sim_alloc *page = backing ? calloc(1, sizeof(*page)) : NULL;

	if (page)
		*page = (struct sim_alloc){.refs = 1,
					   .place = SIM_PLACE_ARRAY,
					   .size_bytes = PAGE_BYTES,
					   .backing = backing};
	else if (backing)
		sim_backing_put(backing);
	return page;
}

CUresult sim_cuImportExternalSemaphore(CUexternalSemaphore *extSem_out,
				       const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *semHandleDesc)
{
	CUexternalSemaphore made;
	int fd;

	if (!extSem_out || !semHandleDesc || semHandleDesc->flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (semHandleDesc->type != CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD &&
	    semHandleDesc->type != CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD)
		return sim_call_unsupported("this type of external semaphore");
	fd = semHandleDesc->handle.fd;
	if (!sim_share_is_file(fd, PAGE_BYTES))
		return CUDA_ERROR_INVALID_VALUE;
	made = sim_handle_new(SIM_KIND_SEMAPHORE, sizeof(*made));
	if (!made)
		return CUDA_ERROR_OUT_OF_MEMORY;
	made->page = new_page(sim_backing_new_imported(fd, PAGE_BYTES));
	made->is_binary = semHandleDesc->type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
	if (!made->page) {
		sim_handle_remove(made);
		free(made);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*extSem_out = made;
	return CUDA_SUCCESS;
}

/* What is in flight keeps the page. */
CUresult sim_cuDestroyExternalSemaphore(CUexternalSemaphore extSem)
{
	if (!sim_handle_is(extSem, SIM_KIND_SEMAPHORE))
		return CUDA_ERROR_INVALID_HANDLE;
	sim_handle_remove(extSem);
	sim_memory_put(extSem->page);
	free(extSem);
	return CUDA_SUCCESS;
}

static CUresult submit(CUstream stream, CUexternalSemaphore semaphore, CUstreamBatchMemOpType type,
		       uint64_t value)
{
	struct sim_work work = {.kind = SIM_WORK_MEMOP,
				.memop = {.type = type,
					  .value = value,
					  .flags = CU_STREAM_WAIT_VALUE_GEQ,
					  .target = {.alloc = semaphore->page,
						     .bytes = semaphore->page->backing->bytes}}};

	sim_memory_get(semaphore->page);
	return sim_stream_submit(stream, &work);
}

/* Nothing is enqueued unless everything can be. */
static CUresult begin(CUstream handle, const CUexternalSemaphore *list, const void *params,
		      unsigned int count, CUstream *stream)
{
	CUresult result = sim_stream_get_for_work(handle, stream);
	unsigned int i;

	if (result != CUDA_SUCCESS)
		return result;
	if (count && (!list || !params))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < count; i++)
		if (!sim_handle_is(list[i], SIM_KIND_SEMAPHORE))
			return CUDA_ERROR_INVALID_HANDLE;
	if ((*stream)->capture)
		return sim_capture_break(*stream, sim_call_unsupported("external semaphores "
								       "in captures"));
	return CUDA_SUCCESS;
}

CUresult
sim_cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
				    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray,
				    unsigned int numExtSems, CUstream stream)
{
	CUstream resolved;
	CUresult result = begin(stream, extSemArray, paramsArray, numExtSems, &resolved);
	unsigned int i;

	for (i = 0; i < numExtSems && result == CUDA_SUCCESS; i++)
		result = submit(resolved, extSemArray[i], CU_STREAM_MEM_OP_WRITE_VALUE_64,
				extSemArray[i]->is_binary ? ++extSemArray[i]->signals
							  : paramsArray[i].params.fence.value);
	return result;
}

CUresult sim_cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
					   const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray,
					   unsigned int numExtSems, CUstream stream)
{
	CUstream resolved;
	CUresult result = begin(stream, extSemArray, paramsArray, numExtSems, &resolved);
	unsigned int i;

	for (i = 0; i < numExtSems && result == CUDA_SUCCESS; i++)
		result = submit(resolved, extSemArray[i], CU_STREAM_MEM_OP_WAIT_VALUE_64,
				extSemArray[i]->is_binary ? ++extSemArray[i]->waits
							  : paramsArray[i].params.fence.value);
	return result;
}
