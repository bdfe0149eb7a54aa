/* Importing external semaphores, signals and waits. */
#include "simulator/driver/ipc/semaphore.h"

#include <stdlib.h>
#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/graph_capture.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/ipc/share.h"
#include "simulator/driver/stream/stream.h"

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

/* Operations in flight keep the page. */
CUresult sim_cuDestroyExternalSemaphore(CUexternalSemaphore extSem)
{
	if (!sim_handle_is(extSem, SIM_KIND_SEMAPHORE))
		return CUDA_ERROR_INVALID_HANDLE;
	sim_handle_remove(extSem);
	sim_memory_put(extSem->page);
	free(extSem);
	return CUDA_SUCCESS;
}

CUresult sim_semaphores_check(const struct sim_semaphores *all)
{
	unsigned int i;

	for (i = 0; i < all->count; i++)
		if (!sim_handle_is(all->list[i], SIM_KIND_SEMAPHORE))
			return CUDA_ERROR_INVALID_HANDLE;
	return CUDA_SUCCESS;
}

void sim_semaphores_fini(struct sim_semaphores *all)
{
	free(all->list);
	free(all->values);
	*all = (struct sim_semaphores){0};
}

CUresult sim_semaphores_copy(struct sim_semaphores *to, const struct sim_semaphores *from)
{
	struct sim_semaphores made = {.list = calloc(from->count + 1, sizeof(*made.list)),
				      .values = calloc(from->count + 1, sizeof(*made.values)),
				      .count = from->count};

	if (!made.list || !made.values) {
		sim_semaphores_fini(&made);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	memcpy(made.list, from->list, from->count * sizeof(*made.list));
	memcpy(made.values, from->values, from->count * sizeof(*made.values));
	sim_semaphores_fini(to);
	*to = made;
	return CUDA_SUCCESS;
}

struct sim_work sim_semaphore_work(CUexternalSemaphore semaphore, bool is_wait, uint64_t value)
{
	uint64_t number = 0;

	if (semaphore->is_binary)
		number = is_wait ? ++semaphore->waits : ++semaphore->signals;
	sim_memory_get(semaphore->page);
	return (struct sim_work){.kind = SIM_WORK_MEMOP,
				 .memop = {.type = is_wait ? CU_STREAM_MEM_OP_WAIT_VALUE_64
							   : CU_STREAM_MEM_OP_WRITE_VALUE_64,
					   .value = semaphore->is_binary ? number : value,
					   .flags = CU_STREAM_WAIT_VALUE_GEQ,
					   .target = {.alloc = semaphore->page,
						      .bytes = semaphore->page->backing->bytes}}};
}

/* Nothing is enqueued unless everything can be. */
static CUresult enqueue(CUstream handle, const struct sim_semaphores *all, bool is_wait)
{
	CUstream stream;
	CUresult result = sim_stream_get_for_work(handle, &stream);
	struct sim_work work;
	unsigned int i;

	if (result == CUDA_SUCCESS)
		result = sim_semaphores_check(all);
	if (result != CUDA_SUCCESS)
		return result;
	if (stream->capture)
		return sim_graph_capture_semaphores(stream, all, is_wait);
	for (i = 0; i < all->count && result == CUDA_SUCCESS; i++) {
		work = sim_semaphore_work(all->list[i], is_wait, all->values[i]);
		result = sim_stream_submit(stream, &work);
	}
	return result;
}

/* The parameters of signals and of waits begin alike, but are not of one size. */
#define SEMAPHORE_FUNCTION(name, params_type, is_wait)                                           \
	CUresult sim_cu##name##ExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,   \
						       const params_type *paramsArray,           \
						       unsigned int numExtSems, CUstream stream) \
	{                                                                                        \
		struct sim_semaphores all = {.list = (CUexternalSemaphore *)extSemArray,         \
					     .values = calloc((size_t)numExtSems + 1, 8),        \
					     .count = numExtSems};                               \
		CUresult result = CUDA_ERROR_INVALID_VALUE;                                      \
		unsigned int i;                                                                  \
		if (!all.values)                                                                 \
			return CUDA_ERROR_OUT_OF_MEMORY;                                         \
		for (i = 0; paramsArray && i < numExtSems; i++)                                  \
			all.values[i] = paramsArray[i].params.fence.value;                       \
		if (!numExtSems || (extSemArray && paramsArray))                                 \
			result = enqueue(stream, &all, is_wait);                                 \
		free(all.values);                                                                \
		return result;                                                                   \
	}

SEMAPHORE_FUNCTION(Signal, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, false)
SEMAPHORE_FUNCTION(Wait, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, true)
