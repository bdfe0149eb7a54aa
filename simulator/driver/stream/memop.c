/* Writing values in stream order, and the conditions of waits. */
#include "simulator/driver/stream/memop.h"

#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/capture.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/graph/graph_capture.h"
#include "simulator/driver/memory/hostmem.h"
#include "simulator/driver/stream/stream.h"

/* Bytes of the target; 0 for the operations that have none. */
static size_t size_of(const CUstreamBatchMemOpParams *params)
{
	switch ((int)params->operation) {
	case CU_STREAM_MEM_OP_ATOMIC_REDUCTION:
		return params->atomicReduction.dataType == CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64
			       ? sizeof(cuuint64_t)
			       : sizeof(cuuint32_t);
	case CU_STREAM_MEM_OP_WAIT_VALUE_32:
	case CU_STREAM_MEM_OP_WRITE_VALUE_32: return sizeof(cuuint32_t);
	case CU_STREAM_MEM_OP_WAIT_VALUE_64:
	case CU_STREAM_MEM_OP_WRITE_VALUE_64: return sizeof(cuuint64_t);
	}
	return 0;
}

static CUresult check_reduction(const struct CUstreamMemOpAtomicReductionParams_st *params)
{
	if (params->flags || (params->dataType != CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32 &&
			      params->dataType != CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64))
		return CUDA_ERROR_INVALID_VALUE;
	switch ((int)params->reductionOp) {
	case CU_STREAM_ATOMIC_REDUCTION_OP_OR:
	case CU_STREAM_ATOMIC_REDUCTION_OP_AND:
	case CU_STREAM_ATOMIC_REDUCTION_OP_ADD: return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

/* Remote writes cannot be flushed: CAN_FLUSH_REMOTE_WRITES is 0. */
static CUresult check_flags(const CUstreamBatchMemOpParams *params, bool is_v1)
{
	switch ((int)params->operation) {
	case CU_STREAM_MEM_OP_WAIT_VALUE_32:
	case CU_STREAM_MEM_OP_WAIT_VALUE_64:
		if (params->waitValue.flags & CU_STREAM_WAIT_VALUE_FLUSH)
			return CUDA_ERROR_NOT_SUPPORTED;
		return params->waitValue.flags <= CU_STREAM_WAIT_VALUE_NOR
			       ? CUDA_SUCCESS
			       : CUDA_ERROR_INVALID_VALUE;
	case CU_STREAM_MEM_OP_WRITE_VALUE_32:
	case CU_STREAM_MEM_OP_WRITE_VALUE_64:
		return params->writeValue.flags <=
				       (is_v1 ? CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER : 0u)
			       ? CUDA_SUCCESS
			       : CUDA_ERROR_INVALID_VALUE;
	case CU_STREAM_MEM_OP_BARRIER:
		if (is_v1)
			return CUDA_ERROR_INVALID_VALUE;
		return params->memoryBarrier.flags <= CU_STREAM_MEMORY_BARRIER_TYPE_GPU
			       ? CUDA_SUCCESS
			       : CUDA_ERROR_INVALID_VALUE;
	case CU_STREAM_MEM_OP_ATOMIC_REDUCTION:
		return is_v1 ? CUDA_ERROR_INVALID_VALUE : check_reduction(&params->atomicReduction);
	case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: return CUDA_ERROR_NOT_SUPPORTED;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

/* The address is the device's: of its own memory or of mapped host memory, never managed (W-1). */
static CUresult resolve_target(CUdeviceptr address, size_t size, bool is_write,
			       struct sim_operand *target)
{
	struct sim_alloc *alloc = sim_memory_find(address);

	if (!alloc || alloc->place == SIM_PLACE_MANAGED || address % size ||
	    !sim_memory_covers(alloc, address, size, is_write))
		return CUDA_ERROR_INVALID_VALUE;
	*target = (struct sim_operand){.alloc = alloc,
				       .place = alloc->place,
				       .address = address,
				       .bytes = sim_memory_bytes(alloc, address)};
	sim_memory_get(alloc);
	return CUDA_SUCCESS;
}

CUresult sim_memop_resolve(const CUstreamBatchMemOpParams *params, struct sim_memop *memop)
{
	size_t size = size_of(params);

	*memop = (struct sim_memop){.type = params->operation, .size = size};
	if (!size)
		return CUDA_SUCCESS;
	if (params->operation == CU_STREAM_MEM_OP_ATOMIC_REDUCTION) {
		memop->value = params->atomicReduction.value;
		memop->reduction = params->atomicReduction.reductionOp;
		return resolve_target(params->atomicReduction.address, size, true, &memop->target);
	}
	/* The members of the union agree in these fields. */
	memop->value =
		size == sizeof(cuuint32_t) ? params->waitValue.value : params->waitValue.value64;
	memop->flags = params->waitValue.flags;
	return resolve_target(params->waitValue.address, size, !sim_memop_is_wait(memop),
			      &memop->target);
}

CUresult sim_memop_check(const CUstreamBatchMemOpParams *params, unsigned int count, bool is_v1)
{
	CUresult result = CUDA_SUCCESS;
	struct sim_memop memop;
	unsigned int i;

	if (!params || !count || count >= SIM_MEMOP_MOST)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < count && result == CUDA_SUCCESS; i++) {
		result = check_flags(&params[i], is_v1);
		if (result == CUDA_SUCCESS)
			result = sim_memop_resolve(&params[i], &memop);
		if (result == CUDA_SUCCESS)
			sim_memory_put(memop.target.alloc);
	}
	return result;
}

/*
 * A wait reads while copies, fills and the application may write: that is what it is for. The
 * alignment makes the read one access.
 */
__attribute__((no_sanitize("thread"))) static bool read_value(const struct sim_operand *target,
							      size_t size, uint64_t *value)
{
	cuuint32_t word = 0;

	*value = 0;
	if (!target->bytes && size == sizeof(word)) {
		if (!sim_hostmem_read(&word, target->address, size))
			return false;
		*value = word;
		return true;
	}
	if (!target->bytes)
		return sim_hostmem_read(value, target->address, size);
	if (size == sizeof(word))
		*value = *(const volatile cuuint32_t *)(const void *)target->bytes;
	else
		*value = *(const volatile cuuint64_t *)(const void *)target->bytes;
	return true;
}

static bool holds(uint64_t found, uint64_t wanted, unsigned int flags, size_t size)
{
	bool is_wide = size == sizeof(cuuint64_t);

	switch (flags) {
	case CU_STREAM_WAIT_VALUE_GEQ: /* cyclic */
		return is_wide ? (int64_t)(found - wanted) >= 0
			       : (int32_t)((uint32_t)found - (uint32_t)wanted) >= 0;
	case CU_STREAM_WAIT_VALUE_EQ: return found == wanted;
	case CU_STREAM_WAIT_VALUE_AND: return (found & wanted) != 0;
	case CU_STREAM_WAIT_VALUE_NOR:
		return is_wide ? ~(found | wanted) != 0 : (uint32_t) ~(found | wanted) != 0;
	}
	return true;
}

bool sim_memop_is_held(const struct sim_memop *memop)
{
	size_t size = memop->size;
	uint64_t value;

	if (!sim_memop_is_wait(memop) || !read_value(&memop->target, size, &value))
		return false;
	return !holds(value, memop->value, memop->flags, size);
}

#define REDUCE(type)                                                       \
	static void reduce_##type(type *word, type value, int reduction)   \
	{                                                                  \
		if (reduction == CU_STREAM_ATOMIC_REDUCTION_OP_ADD)        \
			__atomic_fetch_add(word, value, __ATOMIC_RELEASE); \
		else if (reduction == CU_STREAM_ATOMIC_REDUCTION_OP_OR)    \
			__atomic_fetch_or(word, value, __ATOMIC_RELEASE);  \
		else                                                       \
			__atomic_fetch_and(word, value, __ATOMIC_RELEASE); \
	}
REDUCE(uint32_t)
REDUCE(uint64_t)

/* Memory of the application without bytes of ours is read and written, in two steps. */
static bool reduce_far(const struct sim_memop *memop)
{
	uint64_t value;
	uint32_t word;

	if (!read_value(&memop->target, memop->size, &value))
		return false;
	reduce_uint64_t(&value, memop->value, (int)memop->reduction);
	word = (uint32_t)value;
	return sim_hostmem_write(memop->target.address,
				 memop->size == sizeof(word) ? (void *)&word : (void *)&value,
				 memop->size);
}

static bool reduce(const struct sim_memop *memop)
{
	void *word = memop->target.bytes;

	if (!word)
		return reduce_far(memop);
	if (memop->size == sizeof(uint32_t))
		reduce_uint32_t(word, (uint32_t)memop->value, (int)memop->reduction);
	else
		reduce_uint64_t(word, memop->value, (int)memop->reduction);
	return true;
}

bool sim_memop_perform(const struct sim_memop *memop)
{
	const struct sim_operand *target = &memop->target;
	cuuint32_t word = (cuuint32_t)memop->value;

	switch ((int)memop->type) {
	case CU_STREAM_MEM_OP_ATOMIC_REDUCTION: return reduce(memop);
	case CU_STREAM_MEM_OP_WRITE_VALUE_32:
		if (!target->bytes)
			return sim_hostmem_write(target->address, &word, sizeof(word));
		/* Pairs with the reads of waits and of the application. */
		__atomic_store_n((cuuint32_t *)(void *)target->bytes, word, __ATOMIC_RELEASE);
		return true;
	case CU_STREAM_MEM_OP_WRITE_VALUE_64:
		if (!target->bytes)
			return sim_hostmem_write(target->address, &memop->value,
						 sizeof(memop->value));
		__atomic_store_n((uint64_t *)(void *)target->bytes, memop->value, __ATOMIC_RELEASE);
		return true;
	}
	return true;
}

/* One op after the other: unlike the copies of a batch, these have an order (W-3). */
static CUresult submit(CUstream stream, const CUstreamBatchMemOpParams *params, unsigned int count)
{
	struct sim_work work = {.kind = SIM_WORK_MEMOP};
	CUresult result = CUDA_SUCCESS;
	unsigned int i;

	for (i = 0; i < count && result == CUDA_SUCCESS; i++) {
		result = sim_memop_resolve(&params[i], &work.memop);
		if (result == CUDA_SUCCESS)
			result = sim_stream_submit(stream, &work);
	}
	return result;
}

static CUresult enqueue(CUstream handle, const CUstreamBatchMemOpParams *params, unsigned int count,
			unsigned int flags, bool is_v1)
{
	CUstream stream;
	CUresult result = sim_stream_get_for_work(handle, &stream);

	if (result == CUDA_SUCCESS)
		result = flags ? CUDA_ERROR_INVALID_VALUE : sim_memop_check(params, count, is_v1);
	if (result != CUDA_SUCCESS)
		return result;
	if (stream->capture)
		return sim_graph_capture_memops(stream, params, count);
	return submit(stream, params, count);
}

CUresult sim_cuStreamBatchMemOp(CUstream stream, unsigned int count,
				CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
	return enqueue(stream, paramArray, count, flags, true);
}

CUresult sim_cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
				   CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
	return enqueue(stream, paramArray, count, flags, false);
}

/* The two forms of one function that is a batch of one. */
#define MEMOP_FUNCTIONS(name, operation_, member, bits, field)                                  \
	CUresult sim_cuStream##name##bits(CUstream stream, CUdeviceptr addr,                    \
					  cuuint##bits##_t value, unsigned int flags)           \
	{                                                                                       \
		CUstreamBatchMemOpParams params = {.member = {.operation = operation_##_##bits, \
							      .address = addr,                  \
							      .field = value,                   \
							      .flags = flags}};                 \
                                                                                                \
		return enqueue(stream, &params, 1, 0, true);                                    \
	}                                                                                       \
                                                                                                \
	CUresult sim_cuStream##name##bits##_v2(CUstream stream, CUdeviceptr addr,               \
					       cuuint##bits##_t value, unsigned int flags)      \
	{                                                                                       \
		CUstreamBatchMemOpParams params = {.member = {.operation = operation_##_##bits, \
							      .address = addr,                  \
							      .field = value,                   \
							      .flags = flags}};                 \
                                                                                                \
		return enqueue(stream, &params, 1, 0, false);                                   \
	}

MEMOP_FUNCTIONS(WaitValue, CU_STREAM_MEM_OP_WAIT_VALUE, waitValue, 32, value)
MEMOP_FUNCTIONS(WaitValue, CU_STREAM_MEM_OP_WAIT_VALUE, waitValue, 64, value64)
MEMOP_FUNCTIONS(WriteValue, CU_STREAM_MEM_OP_WRITE_VALUE, writeValue, 32, value)
MEMOP_FUNCTIONS(WriteValue, CU_STREAM_MEM_OP_WRITE_VALUE, writeValue, 64, value64)
