/* Memory operations: one op each, also those of a batch. */
#include "interposer/call/row_functions.h"
#include "interposer/call/memop.h"

#include <stdbool.h>
#include "interposer/object/memory.h"
#include "interposer/core/put.h"
#include "interposer/object/handle.h"

_Static_assert((int)SC_VALUE_GEQ == CU_STREAM_WAIT_VALUE_GEQ &&
		       (int)SC_VALUE_EQ == CU_STREAM_WAIT_VALUE_EQ &&
		       (int)SC_VALUE_AND == CU_STREAM_WAIT_VALUE_AND &&
		       (int)SC_VALUE_NOR == CU_STREAM_WAIT_VALUE_NOR,
	       "the trace has CUDA's numbers");

#define CONDITION_MASK 3u

/* Both forms of a call have the same members. */
#define MEMOP(name, call_name, size, mask)                  \
	void name(struct sc_call *call)                     \
	{                                                   \
		const call_name##_params *p = call->params; \
                                                            \
		call->op.bytes = (size);                    \
		call->op.object = p->flags & (mask);        \
	}

/* Size and flags of a write or wait; their numbers are those of the trace. */
MEMOP(sc_memop_write_32, cuStreamWriteValue32, 4, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
MEMOP(sc_memop_write_64, cuStreamWriteValue64, 8, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
MEMOP(sc_memop_wait_32, cuStreamWaitValue32, 4, CONDITION_MASK)
MEMOP(sc_memop_wait_64, cuStreamWaitValue64, 8, CONDITION_MASK)

static void put(const struct sc_call *call, const struct sc_op *op)
{
	struct sc_op copy = *op;

	copy.result = call->result;
	sc_put_op(&copy, NULL, 0);
}

_Static_assert((int)SC_VALUE_NO_BARRIER == CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER,
	       "the trace has CUDA's numbers");

/* 13.x: what becomes of the word depends on what it was. */
static void read_reduction(const CUstreamBatchMemOpParams *e, struct sc_op *op)
{
	struct sc_call_operand o;

	op->bytes = sc_memop_reduced_bytes(e);
	o = sc_memory_classify(e->atomicReduction.address, op->bytes, false);
	op->kind = SC_OP_VALUE_WRITE;
	op->dst = o.address;
	op->dst_mem = o.memory;
	op->value = e->atomicReduction.value;
	op->object = SC_VALUE_REDUCED;
}

static bool read_entry(const CUstreamBatchMemOpParams *e, struct sc_op *op)
{
	bool is_wide = e->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 ||
		       e->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
	struct sc_call_operand o;

	op->bytes = is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
	switch ((int)e->operation) {
	case CU_STREAM_MEM_OP_WAIT_VALUE_32:
	case CU_STREAM_MEM_OP_WAIT_VALUE_64:
		o = sc_memory_classify(e->waitValue.address, op->bytes, false);
		op->kind = SC_OP_VALUE_WAIT;
		op->src = o.address;
		op->src_mem = o.memory;
		op->value = is_wide ? e->waitValue.value64 : e->waitValue.value;
		op->object = e->waitValue.flags & CONDITION_MASK;
		return true;
	case CU_STREAM_MEM_OP_WRITE_VALUE_32:
	case CU_STREAM_MEM_OP_WRITE_VALUE_64:
		o = sc_memory_classify(e->writeValue.address, op->bytes, false);
		op->kind = SC_OP_VALUE_WRITE;
		op->dst = o.address;
		op->dst_mem = o.memory;
		op->value = is_wide ? e->writeValue.value64 : e->writeValue.value;
		op->object = e->writeValue.flags & CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER;
		return true;
	case CU_STREAM_MEM_OP_ATOMIC_REDUCTION: read_reduction(e, op); return true;
	}
	return false; /* barriers and flushes order nothing that is not ordered already */
}

/* AFTER functions: every operation of a batch is an op of its own, in order (W-3). */
void sc_memop_batch(struct sc_call *call)
{
	const cuStreamBatchMemOp_params *p = call->params; /* both forms have these members */
	struct sc_op base = call->op;

	call->op.kind = SC_OP_NONE;
	for (unsigned i = 0; p->paramArray && i < p->count; i++) {
		struct sc_op op = base;

		if (read_entry(&p->paramArray[i], &op))
			put(call, &op);
	}
}

/* Binary semaphores have no values: their signals are numbered, and each wait is for one (W-4). */
static bool is_binary(CUexternalSemaphoreHandleType type)
{
	return type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD ||
	       type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32 ||
	       type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT;
}

/* AFTER function of the import of a semaphore: which kind it is. */
void sc_memop_semaphore(struct sc_call *call)
{
	const cuImportExternalSemaphore_params *p = call->params;
	struct sc_handle *h;

	if (call->result)
		return;
	h = sc_handle_make(SC_HANDLE_SEMAPHORE, *p->extSem_out, 0, 0);
	if (h)
		h->semaphore.is_binary = is_binary(p->semHandleDesc->type);
}

static void put_semaphore(const struct sc_call *call, const struct sc_op *base,
			  CUexternalSemaphore raw, uint64_t value)
{
	struct sc_handle *h = raw ? sc_handle_see(SC_HANDLE_SEMAPHORE, raw) : NULL;
	struct sc_op op = *base;

	op.object = h ? h->id : 0;
	op.value = value;
	if (h && h->semaphore.is_binary && !(op.flags & SC_FLAG_CAPTURED))
		op.value = 1 + atomic_fetch_add_explicit(op.kind == SC_OP_SIGNAL
								 ? &h->semaphore.signals
								 : &h->semaphore.waits,
							 1, memory_order_relaxed);
	put(call, &op);
}

void sc_memop_signal(struct sc_call *call)
{
	const cuSignalExternalSemaphoresAsync_params *p = call->params;
	struct sc_op base = call->op;

	call->op.kind = SC_OP_NONE;
	for (unsigned i = 0; p->extSemArray && p->paramsArray && i < p->numExtSems; i++)
		put_semaphore(call, &base, p->extSemArray[i], p->paramsArray[i].params.fence.value);
}

void sc_memop_signal_wait(struct sc_call *call)
{
	const cuWaitExternalSemaphoresAsync_params *p = call->params;
	struct sc_op base = call->op;

	call->op.kind = SC_OP_NONE;
	for (unsigned i = 0; p->extSemArray && p->paramsArray && i < p->numExtSems; i++)
		put_semaphore(call, &base, p->extSemArray[i], p->paramsArray[i].params.fence.value);
}
