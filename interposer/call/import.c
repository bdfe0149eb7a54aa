/* Imports: sizes that only the driver knows, opens that are counted, resources of graphics APIs. */
#include "interposer/call/import.h"

#include <stdatomic.h>
#include "interposer/call/mapping.h"
#include "interposer/driver/driver.h"
#include "interposer/object/memory.h"
#include "interposer/core/put.h"
#include "interposer/core/module.h"
#include "interposer/object/handle.h"
#include "interposer/core/thread.h"
#include "trace/message.h"
#include "interposer/call/row_functions.h"

/* Of this process. */
static struct {
	atomic_bool is_said;	   /* the trace says that memory is shared with others */
	atomic_bool has_far_pools; /* some pool was shared by a handle that other nodes know */
} imports;

/* HAND functions of an import: how large it is; the same, counted, since a further open of the same
 * memory gives the same address, and the last close ends it. */
void sc_import_size(struct sc_call *call)
{
	CUdeviceptr start = 0;
	size_t bytes = 0;

	if (sc_driver()->MemGetAddressRange && !sc_self.callback &&
	    !sc_driver()->MemGetAddressRange(&start, &bytes, call->facts.dst))
		call->facts.bytes = start + bytes - call->facts.dst;
}

void sc_import_open(struct sc_call *call)
{
	struct sc_handle *h = sc_handle_see(SC_HANDLE_IMPORT, (const void *)call->facts.dst);

	sc_import_size(call);
	if (h && h->opens++)
		call->facts.is_repeated = true;
}

/* Only the last close is the end of the memory; the others are calls without a meaning. It counts
 * before the call: when that has returned, another thread may have opened memory at the address. In
 * a host function the driver refuses it. */
void sc_import_close(struct sc_call *call)
{
	struct sc_handle *h = sc_handle_find(SC_HANDLE_IMPORT, (const void *)call->facts.dst);

	if (!h || !h->opens)
		return;
	if (h->opens > 1)
		call->op.kind = SC_OP_CALL;
	if (sc_self.callback)
		return;
	h->opens--;
	sc_call_set_object(call, h);
}

/* AFTER function of a close. */
void sc_import_closed(struct sc_call *call)
{
	if (call->result && call->object) /* it was counted */
		call->object->opens++;
}

void sc_import_shared(struct sc_call *call)
{
	if (!call->result && !atomic_exchange(&imports.is_said, true))
		sc_put_source("what other processes do to shared device memory", false);
}

/* The number that a handle's bytes make (FNV-1a), apart for each kind of handle; never 0. */
static uint64_t name_of(enum sc_share_what what, const void *handle)
{
	const unsigned char *bytes = handle;
	uint64_t name = 0xcbf29ce484222325u + what;

	for (unsigned i = 0; i < CU_IPC_HANDLE_SIZE; i++)
		name = (name ^ bytes[i]) * 0x100000001b3u;
	return name ? name : 1;
}

static void put_share_of(enum sc_share_what what, const void *handle, enum sc_share_way way,
			 uint64_t address, uint32_t object)
{
	struct sc_op op = sc_put_new(SC_OP_SHARE);

	op.value = name_of(what, handle);
	op.peer = way;
	op.src = what;
	op.dst = address;
	op.dst_mem = address ? SC_MEM_DEVICE : 0;
	op.object = object;
	op.bytes = what == SC_SHARE_PHYSICAL ||
		   (what == SC_SHARE_POINTER && atomic_load(&imports.has_far_pools));
	sc_put_op(&op, NULL, 0);
}

static void put_share(const void *handle, enum sc_share_way way, uint64_t address, uint32_t event)
{
	put_share_of(SC_SHARE_ANY, handle, way, address, event);
}

/* AFTER functions: a handle of memory, or of an event, was given out or opened; that all processes
 * call it the same is said by its bytes. */
void sc_import_memory_given(struct sc_call *call)
{
	const cuIpcGetMemHandle_params *p = call->params;

	sc_import_shared(call);
	if (!call->result && p->pHandle)
		put_share(p->pHandle, SC_SHARE_GIVEN, p->dptr, 0);
}

/* Both versions have the same parameters. */
void sc_import_memory_opened(struct sc_call *call)
{
	const cuIpcOpenMemHandle_v2_params *p = call->params;

	sc_import_shared(call);
	if (!call->result)
		put_share(&p->handle, SC_SHARE_OPENED, call->facts.dst, 0);
}

void sc_import_event_given(struct sc_call *call)
{
	const cuIpcGetEventHandle_params *p = call->params;
	const struct sc_handle *h;

	if (call->result || !p->pHandle)
		return;
	h = sc_handle_see(SC_HANDLE_EVENT, p->event);
	if (h)
		put_share(p->pHandle, SC_SHARE_GIVEN, 0, h->id);
}

void sc_import_event_opened(struct sc_call *call)
{
	const cuIpcOpenEventHandle_params *p = call->params;

	if (!call->result && call->op.object)
		put_share(&p->handle, SC_SHARE_OPENED, 0, call->op.object);
}

/* The exported data is as long as a handle. */
_Static_assert(sizeof(CUmemPoolPtrExportData) == CU_IPC_HANDLE_SIZE, "64 bytes");
_Static_assert(sizeof(CUmemFabricHandle) == CU_IPC_HANDLE_SIZE, "64 bytes");

void sc_import_pointer_given(struct sc_call *call)
{
	const cuMemPoolExportPointer_params *p = call->params;

	sc_import_shared(call);
	if (!call->result && p->shareData_out)
		put_share_of(SC_SHARE_POINTER, p->shareData_out, SC_SHARE_GIVEN, p->ptr, 0);
}

void sc_import_pointer_opened(struct sc_call *call)
{
	const cuMemPoolImportPointer_params *p = call->params;

	sc_import_shared(call);
	if (!call->result && p->shareData)
		put_share_of(SC_SHARE_POINTER, p->shareData, SC_SHARE_OPENED, call->facts.dst, 0);
}

/* Both calls have the type in the same place. */
void sc_import_pool_shared(struct sc_call *call)
{
	const cuMemPoolExportToShareableHandle_params *p = call->params;

	if (!call->result && p->handleType == CU_MEM_HANDLE_TYPE_FABRIC)
		atomic_store(&imports.has_far_pools, true);
}

/* Handles of other types are numbers of this process, which lead nowhere. */
void sc_import_physical_given(struct sc_call *call)
{
	const cuMemExportToShareableHandle_params *p = call->params;
	const struct sc_handle *h;

	sc_import_shared(call);
	if (call->result || p->handleType != CU_MEM_HANDLE_TYPE_FABRIC || !p->shareableHandle)
		return;
	h = sc_handle_see(SC_HANDLE_PHYSICAL, (const void *)(uintptr_t)p->handle);
	if (h)
		put_share_of(SC_SHARE_PHYSICAL, p->shareableHandle, SC_SHARE_GIVEN, 0, h->id);
}

void sc_import_physical_opened(struct sc_call *call)
{
	const cuMemImportFromShareableHandle_params *p = call->params;
	const struct sc_handle *h;

	sc_mapping_made(call);
	sc_import_shared(call);
	if (call->result || p->shHandleType != CU_MEM_HANDLE_TYPE_FABRIC || !p->osHandle)
		return;
	h = sc_handle_see(SC_HANDLE_PHYSICAL, call->facts.handle);
	if (h)
		put_share_of(SC_SHARE_PHYSICAL, p->osHandle, SC_SHARE_OPENED, 0, h->id);
}

static uint32_t resource_id(CUgraphicsResource raw)
{
	struct sc_handle *h = raw ? sc_handle_see(SC_HANDLE_GRAPHICS, raw) : NULL;

	return h ? h->id : 0;
}

/* Both calls have the same parameters. */
void sc_import_graphics_first(struct sc_call *call)
{
	const cuGraphicsMapResources_params *p = call->params;

	if (p->resources && p->count)
		call->op.object = resource_id(p->resources[0]);
}

/* What the driver knows of the memory's address is void. */
static void forget(const struct sc_call *call, uint32_t resource)
{
	if (!call->result && call->api->kind == SC_OP_GRAPHICS_UNMAP)
		sc_memory_remove_module(&sc_memory, resource);
}

void sc_import_graphics_rest(struct sc_call *call)
{
	const cuGraphicsMapResources_params *p = call->params;
	struct sc_op op = call->op;

	forget(call, call->op.object);
	op.result = call->result;
	for (unsigned i = 1; p->resources && i < p->count; i++) {
		op.object = resource_id(p->resources[i]);
		forget(call, op.object);
		sc_put_op(&op, NULL, 0);
	}
}

const struct sc_module sc_module_import = {SC_MODULE_STATE(imports)};
