/* Operands: from addresses to what they mean now. */
#include "interposer/call/operands.h"

#include "interposer/call/row.h"
#include "interposer/call/tracking.h"
#include "interposer/object/memory.h"

static uint64_t array_address(const void *raw, uint64_t offset)
{
	struct sc_handle *h = raw ? sc_handle_see(SC_HANDLE_ARRAY, raw) : NULL;

	return h ? SC_ARRAY_ADDRESS(h->id) + offset : 0;
}

void sc_operands_resolve(struct sc_call *call)
{
	struct sc_facts *f = &call->facts;
	struct sc_op *op = &call->op;
	uint64_t span = f->rows ? (f->rows - 1) * f->pitch + f->bytes : f->bytes;
	struct sc_call_operand o;

	op->bytes = f->bytes;
	op->value = f->value;
	if (f->dst_array) {
		op->dst = array_address(f->dst_array, f->dst);
		op->dst_mem = SC_MEM_ARRAY;
	} else if (f->dst) {
		o = sc_memory_classify(f->dst, span, f->dst_is_host);
		op->dst = o.address;
		op->dst_mem = o.memory;
		f->dst_object = o.object;
	}
	if (f->src_array) {
		op->src = array_address(f->src_array, f->src);
		op->src_mem = SC_MEM_ARRAY;
	} else if (f->src) {
		o = sc_memory_classify(f->src, span, f->src_is_host);
		op->src = o.address;
		op->src_mem = o.memory;
	}
}

void sc_operands_renew(struct sc_call *call)
{
	const struct sc_tracking *tracking = sc_tracking_of(call->api->kind);

	call->api->decode(&call->facts, call->params);
	if (!call->facts.memory)
		sc_operands_resolve(call);
	if (tracking->prepare)
		tracking->prepare(call);
}

void sc_operands_clear(struct sc_op *op)
{
	op->object = op->peer = 0;
	op->dst = op->src = op->bytes = op->value = 0;
	op->dst_mem = op->src_mem = SC_MEM_NONE;
}
