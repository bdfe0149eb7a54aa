/* One activity record of CUPTI as a DEVICE_TIME op, whatever CUPTI's version. */
#include <stddef.h>
#include "interposer/cupti/times.h"
#include "trace/op.h"

/* Records have grown at their ends only: the newest struct reads the older ones too, as far as the
 * members go that are used here. */
#define SAME(newer, older, member)                                         \
	_Static_assert(offsetof(newer, member) == offsetof(older, member), \
		       #older " differs from " #newer)
#define SAME_WORK(newer, older)            \
	SAME(newer, older, start);         \
	SAME(newer, older, end);           \
	SAME(newer, older, deviceId);      \
	SAME(newer, older, correlationId); \
	SAME(newer, older, graphNodeId)
SAME_WORK(CUpti_ActivityKernel10, CUpti_ActivityKernel9);
SAME_WORK(CUpti_ActivityKernel10, CUpti_ActivityKernel7);
SAME_WORK(CUpti_ActivityMemcpy6, CUpti_ActivityMemcpy5);
SAME_WORK(CUpti_ActivityMemcpyPtoP4, CUpti_ActivityMemcpyPtoP3);
SAME_WORK(CUpti_ActivityMemset4, CUpti_ActivityMemset3);
SAME(CUpti_ActivitySynchronization2, CUpti_ActivitySynchronization, correlationId);
SAME(CUpti_ActivityGraphTrace2, CUpti_ActivityGraphTrace, end);
SAME(CUpti_ActivityMemoryPool3, CUpti_ActivityMemoryPool2, timestamp);
SAME(CUpti_ActivityUnifiedMemoryCounter3, CUpti_ActivityUnifiedMemoryCounter2, end);

static enum sc_engine engine_of_copy(unsigned kind)
{
	switch (kind) {
	case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
	case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA: return SC_ENGINE_COPY_IN;
	case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
	case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH: return SC_ENGINE_COPY_OUT;
	case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP: return SC_ENGINE_COPY_PEER;
	case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH: return SC_ENGINE_COPY_HOST;
	}
	return SC_ENGINE_COPY_WITHIN;
}

static bool set_times(struct sc_op *op, uint64_t start, uint64_t end)
{
	op->time_ns = start;
	op->value = end - start;
	return start && end >= start; /* else it had not ended when the buffer was flushed */
}

/* What the four kinds of work have in common. */
#define WORK(r, op, correlation)                                                         \
	((op)->device = (uint8_t)(r)->deviceId, (op)->peer = (uint32_t)(r)->graphNodeId, \
	 *(correlation) = (r)->correlationId, set_times((op), (r)->start, (r)->end))

static bool decode_copy(const CUpti_ActivityMemcpy6 *r, struct sc_op *op, uint32_t *correlation)
{
	op->engine = (uint16_t)engine_of_copy(r->copyKind);
	op->bytes = r->bytes;
	return WORK(r, op, correlation);
}

static bool decode_peer(const CUpti_ActivityMemcpyPtoP4 *r, struct sc_op *op, uint32_t *correlation)
{
	op->engine = SC_ENGINE_COPY_PEER;
	op->bytes = r->bytes;
	return WORK(r, op, correlation);
}

static bool decode_fill(const CUpti_ActivityMemset4 *r, struct sc_op *op, uint32_t *correlation)
{
	op->engine = SC_ENGINE_FILL;
	op->bytes = r->bytes;
	return WORK(r, op, correlation);
}

static bool decode_kernel(const CUpti_ActivityKernel10 *r, struct sc_op *op, uint32_t *correlation)
{
	op->engine = SC_ENGINE_KERNEL;
	return WORK(r, op, correlation);
}

static bool decode_graph(const CUpti_ActivityGraphTrace2 *r, struct sc_op *op,
			 uint32_t *correlation)
{
	op->engine = SC_ENGINE_GRAPH;
	op->device = (uint8_t)r->deviceId;
	*correlation = r->correlationId;
	return set_times(op, r->start, r->end);
}

/* How long the host waited; streams that wait for events are no host. */
static bool decode_wait(const CUpti_ActivitySynchronization2 *r, struct sc_op *op,
			uint32_t *correlation)
{
	op->engine = SC_ENGINE_HOST_WAIT;
	*correlation = r->correlationId;
	return r->type != CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT &&
	       set_times(op, r->start, r->end);
}

static bool decode_pool(const CUpti_ActivityMemoryPool3 *r, struct sc_op *op, uint32_t *correlation)
{
	op->engine = SC_ENGINE_POOL;
	op->device = (uint8_t)r->deviceId;
	op->bytes = r->size;
	*correlation = r->correlationId;
	return set_times(op, r->timestamp, r->timestamp);
}

static bool decode_migration(const CUpti_ActivityUnifiedMemoryCounter3 *r, struct sc_op *op)
{
	op->engine = SC_ENGINE_MIGRATION;
	op->dst = r->address;
	op->bytes = r->value;
	switch ((int)r->counterKind) {
	case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD:
		op->device = (uint8_t)r->dstId;
		return set_times(op, r->start, r->end);
	case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH:
		op->device = (uint8_t)r->srcId;
		return set_times(op, r->start, r->end);
	}
	return false;
}

bool sc_times_decode(const CUpti_Activity *record, struct sc_op *op, uint32_t *correlation)
{
	const void *r = record;

	*op = (struct sc_op){.kind = SC_OP_DEVICE_TIME};
	*correlation = 0;
	switch ((int)record->kind) {
	case CUPTI_ACTIVITY_KIND_KERNEL:
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return decode_kernel(r, op, correlation);
	case CUPTI_ACTIVITY_KIND_MEMCPY: return decode_copy(r, op, correlation);
	case CUPTI_ACTIVITY_KIND_MEMCPY2: return decode_peer(r, op, correlation);
	case CUPTI_ACTIVITY_KIND_MEMSET: return decode_fill(r, op, correlation);
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: return decode_graph(r, op, correlation);
	case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: return decode_wait(r, op, correlation);
	case CUPTI_ACTIVITY_KIND_MEMORY_POOL: return decode_pool(r, op, correlation);
	case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER: return decode_migration(r, op);
	}
	return false;
}
