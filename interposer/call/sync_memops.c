/* SYNC_MEMOPS: which allocations have it, and which calls touch one. */
#include "interposer/call/sync_memops.h"

#include "interposer/object/memory.h"
#include "interposer/call/row_functions.h"

/* HAND and AFTER functions of cuPointerSetAttribute. */
void sc_sync_memops_asked(struct sc_call *call)
{
	const cuPointerSetAttribute_params *p = call->params;
	struct sc_known_allocation a;

	if (p->attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !p->value ||
	    !*(const unsigned *)p->value || !sc_memory_look_up(&sc_memory, p->ptr, &a))
		return;
	call->op.flags |= SC_FLAG_SYNC_MEMOPS;
	call->op.dst = p->ptr;
	call->op.dst_mem = a.memory;
}

void sc_sync_memops_given(struct sc_call *call)
{
	struct sc_known_allocation a;

	if (!call->result && call->op.dst && sc_memory_look_up(&sc_memory, call->op.dst, &a))
		sc_memory_hold_host(&sc_memory, a.object);
}

static uint32_t flags_of(uint64_t address)
{
	struct sc_known_allocation a;

	return address && sc_memory_look_up(&sc_memory, address, &a) ? a.flags & SC_FLAG_SYNC_MEMOPS
								     : 0;
}

void sc_sync_memops_mark(struct sc_op *op)
{
	if (sc_memory_holds_host(&sc_memory))
		op->flags |= flags_of(op->dst) | flags_of(op->src);
}
