/* Pools: which one memory comes from, and the rights of devices. */
#include "interposer/call/pool.h"

#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/object/handle.h"
#include "interposer/call/location.h"
#include "interposer/call/row_functions.h"

#define NO_DEVICE UINT64_MAX

uint64_t sc_pool_location(const CUmemLocation *location, CUmemAllocationType type)
{
	if (!location || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    type != CU_MEM_ALLOCATION_TYPE_PINNED)
		return NO_DEVICE;
	return (uint64_t)location->id;
}

/* The pool that the call named, of the device. Of one that the driver made the trace says once
 * whose it is: streams of other devices may allocate from it, too. */
static struct sc_handle *see_pool(const struct sc_call *call, uint64_t device)
{
	struct sc_handle *h = sc_handle_see(SC_HANDLE_POOL, call->facts.handle);
	struct sc_op op = call->op;

	if (!h || h->memory)
		return h;
	h->memory = SC_MEM_DEVICE;
	sc_session_changed(); /* allocations that were kept name its memory */
	op.kind = SC_OP_POOL;
	op.object = h->id;
	op.device = (uint8_t)device;
	op.dst_mem = SC_MEM_DEVICE;
	sc_put_op(&op, NULL, 0);
	return h;
}

/* As long as nothing was chosen, the default pool is the one. */
void sc_pool_seen(struct sc_call *call)
{
	uint64_t device = call->facts.value;
	struct sc_handle *h;

	if (device == NO_DEVICE || !call->facts.handle)
		return;
	h = see_pool(call, device);
	if (!sc_pool_of_device((int)device))
		sc_pool_set_device((int)device, h);
}

void sc_pool_chosen(struct sc_call *call)
{
	uint64_t device = call->facts.value;

	if (device != NO_DEVICE && call->facts.handle)
		sc_pool_set_device((int)device, see_pool(call, device));
}

/* One op a device. */
void sc_pool_access(struct sc_call *call)
{
	const cuMemPoolSetAccess_params *p = call->params;
	struct sc_op op = call->op;

	call->op.kind = SC_OP_NONE;
	for (size_t i = 0; p->map && i < p->count; i++) {
		if (!sc_location_is_device(&p->map[i].location))
			continue;
		op.device = sc_location_device(&p->map[i].location);
		op.value = (uint64_t)p->map[i].flags & CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
		sc_put_op(&op, NULL, 0);
	}
}

/* HAND function: the context whose memory the current one may use, or not. */
void sc_pool_peer(struct sc_call *call)
{
	struct sc_handle *h =
		call->facts.handle ? sc_handle_see(SC_HANDLE_CONTEXT, call->facts.handle) : NULL;

	call->op.peer = h ? h->id : 0;
}

uint8_t sc_pool_memory(const CUmemPoolProps *props)
{
	if (props->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED)
		return SC_MEM_MANAGED;
	return sc_location_is_device(&props->location) ? SC_MEM_DEVICE : SC_MEM_PINNED;
}

void sc_pool_created(struct sc_call *call)
{
	const cuMemPoolCreate_params *p = call->params;
	struct sc_handle *h = sc_handle_make(SC_HANDLE_POOL, call->facts.handle, 0, 0);

	if (!h || !p->poolProps)
		return;
	h->memory = sc_pool_memory(p->poolProps);
	call->op.object = h->id;
	call->op.dst_mem = h->memory;
	if (h->memory == SC_MEM_DEVICE)
		call->op.device = sc_location_device(&p->poolProps->location);
}

/* A device that allocated from it goes back to its default pool, whose handle is not known. */
void sc_pool_destroyed(struct sc_call *call)
{
	if (call->result || !call->facts.handle)
		return;
	for (int device = 0; device < UINT8_MAX; device++) {
		struct sc_handle *h = sc_pool_of_device(device);

		if (h && h == call->object)
			sc_pool_set_device(device, NULL);
	}
	sc_handle_forget(SC_HANDLE_POOL, call->facts.handle, call->object_id);
}

struct sc_handle *sc_pool_of_call(const struct sc_call *call)
{
	const struct sc_op *op = &call->op;

	if (call->facts.handle && call->object)
		return call->object;
	return op->flags & SC_FLAG_OTHER_CONTEXT ? NULL : sc_pool_of_device(op->device);
}

void sc_pool_allocating(struct sc_call *call)
{
	struct sc_handle *pool = sc_pool_of_call(call);
	struct sc_op *op = &call->op;

	op->peer = pool ? pool->id : 0;
	if (pool && pool->memory)
		call->facts.memory = pool->memory;
}
