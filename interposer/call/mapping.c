/* Mappings: their entries in the table of allocations, and access rights as ops. */
#include "interposer/call/mapping.h"

#include "interposer/object/memory.h"
#include "interposer/core/put.h"
#include "interposer/object/handle.h"
#include "interposer/call/location.h"
#include "interposer/call/row_functions.h"

/* Drivers use the handle's value again when the memory is gone. */
static void make(const struct sc_call *call, uint8_t memory)
{
	struct sc_handle *h = sc_handle_make(SC_HANDLE_PHYSICAL, call->facts.handle, 0, 0);

	if (h)
		h->memory = memory;
}

/* AFTER functions: they record new physical memory and its handle, and the access rights of each
 * device. */
void sc_mapping_made(struct sc_call *call)
{
	make(call, SC_MEM_DEVICE);
}

/* Which may be the host's. */
void sc_mapping_created(struct sc_call *call)
{
	const cuMemCreate_params *p = call->params;
	unsigned type = p->prop ? (unsigned)p->prop->location.type : 0;
	bool is_host = type == CU_MEM_LOCATION_TYPE_HOST || type == CU_MEM_LOCATION_TYPE_HOST_NUMA;

	make(call, is_host ? SC_MEM_PINNED : SC_MEM_DEVICE);
}

/* The mapping is the driver's memory for whatever uses it; it outlives contexts (P-13). Whether
 * pages of the host's may be protected there was not measured. */
void sc_mapping_mapped(struct sc_call *call)
{
	const struct sc_facts *f = &call->facts;
	const struct sc_handle *h = sc_handle_of(sc_call_object(call));
	uint8_t memory = h && h->memory ? h->memory : SC_MEM_DEVICE;
	struct sc_known_allocation a = {.start = f->dst,
					.bytes = f->bytes,
					.object = call->op.object,
					.memory = memory,
					.device = call->op.device,
					.is_open = memory != SC_MEM_DEVICE};

	call->op.dst = f->dst;
	call->op.dst_mem = memory;
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
		if (!sc_location_is_device(&p->desc[i].location))
			continue;
		op.device = sc_location_device(&p->desc[i].location);
		op.value = right_of(p->desc[i].flags);
		sc_put_op(&op, NULL, 0);
	}
}
