/* Mappings: their entries in the table of allocations, and access rights as ops. */
#include "interposer/call/mapping.h"

#include "interposer/object/memory.h"
#include "interposer/core/put.h"
#include "interposer/object/handle.h"

/* Drivers use the handle's value again when the memory is gone. */
void sc_mapping_made(struct sc_call *call)
{
	sc_handle_make(SC_HANDLE_PHYSICAL, call->facts.handle, 0, 0);
}

/* The mapping is the driver's device memory for whatever uses it; it outlives contexts (P-13). */
void sc_mapping_mapped(struct sc_call *call)
{
	const struct sc_facts *f = &call->facts;
	struct sc_known_allocation a = {.start = f->dst,
					.bytes = f->bytes,
					.object = call->op.object,
					.memory = SC_MEM_DEVICE,
					.device = call->op.device};

	call->op.dst = f->dst;
	call->op.dst_mem = SC_MEM_DEVICE;
	call->op.bytes = f->bytes;
	call->op.value = f->value;
	sc_memory_insert(&sc_memory, &a);
}

/* A call may end several mappings at once. */
void sc_mapping_unmapped(struct sc_call *call)
{
	uint64_t at = call->facts.dst, end = at + call->facts.bytes;
	struct sc_known_allocation a;

	while (!call->result && at < end && sc_memory_next(&sc_memory, at, &a) && a.start < end) {
		sc_memory_remove(&sc_memory, a.start, a.object);
		at = a.start + a.bytes;
	}
}

static uint64_t right_of(CUmemAccess_flags flags)
{
	return (uint64_t)flags & CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
}

/* One op a device; what the host may do with device memory is not recorded. */
void sc_mapping_access(struct sc_call *call)
{
	const cuMemSetAccess_params *p = call->params;
	struct sc_op op = call->op;

	call->op.kind = SC_OP_NONE;
	for (size_t i = 0; p->desc && i < p->count; i++) {
		if (p->desc[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
			continue;
		op.device = (uint8_t)p->desc[i].location.id;
		op.value = right_of(p->desc[i].flags);
		sc_put_op(&op, NULL, 0);
	}
}
