/* Tracking of handles, allocations and waits. */
#include "interposer/call/tracking.h"

#include "interposer/call/array.h"
#include "interposer/call/callback.h"
#include "interposer/driver/driver.h"
#include "interposer/object/managed_variable.h"
#include "interposer/object/embedded.h"
#include "interposer/call/graph.h"
#include "interposer/guard/stack_operand.h"
#include "interposer/call/mapping.h"
#include "interposer/core/maps.h"
#include "interposer/call/pool.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/object/memory.h"
#include "interposer/object/handle.h"
#include "interposer/guard/graph_operands.h"
#include "interposer/guard/watch.h"
#include "interposer/guard/given.h"
#include "interposer/guard/guard.h"
#include "interposer/guard/unprotected.h"
#include "interposer/call/enqueued.h"
#include "interposer/core/thread.h"
#include "interposer/core/lock.h"
#include "interposer/stack/asker.h"
#include "interposer/call/row_functions.h"

/* ---- contexts ---- */

static void context_created(struct sc_call *call)
{
	const struct sc_driver *d = sc_driver();
	bool primary = call->facts.flags & SC_FLAG_PRIMARY;
	CUdevice device = (CUdevice)call->facts.value;
	struct sc_handle *h;

	if (!primary) {
		sc_handle_kill(
			sc_handle_refer(sc_handle_find(SC_HANDLE_CONTEXT, call->facts.context)));
		if (d->CtxGetDevice && d->CtxGetDevice(&device))
			device = 0;
	}
	h = sc_context_seen(call->facts.context, call->facts.flags, device, call->op.peer);
	if (primary && h)
		sc_context_set_primary(device, h);
	call->op.kind = SC_OP_NONE; /* the first sight has written it */
}

/* Another thread's new context may have the handle by now. */
static void forget_context(uint32_t id, const void *raw)
{
	sc_handle_kill((struct sc_handle_ref){sc_handle_find(SC_HANDLE_CONTEXT, raw), id});
	sc_memory_remove_context(&sc_memory, id);
	sc_embedded_changed();
}

static void context_destroyed(struct sc_call *call)
{
	if (call->result || !call->facts.context)
		return;
	sc_guard_open_context(call->op.context, UINT64_MAX);
	forget_context(call->op.context, call->facts.context);
}

/* Releasing a primary context destroys it when no other retain holds it. */
void sc_context_released(struct sc_call *call)
{
	int device = (int)call->facts.value, active = 1;
	const void *raw = sc_context_primary(device);
	const struct sc_driver *d = sc_driver();
	struct sc_handle *h = raw ? sc_handle_find(SC_HANDLE_CONTEXT, raw) : NULL;
	struct sc_op op;
	unsigned flags;

	if (!h || !d->DevicePrimaryCtxGetState ||
	    d->DevicePrimaryCtxGetState(device, &flags, &active) || active)
		return;
	op = sc_put_new(SC_OP_CONTEXT_DESTROY);
	op.context = h->id;
	op.device = (uint8_t)device;
	sc_put_op(&op, NULL, 0);
	forget_context(h->id, raw);
}

static void context_waited(struct sc_call *call)
{
	if (!call->result)
		sc_guard_open_context(call->op.context, call->sequence);
}

void sc_green_destroyed(struct sc_call *call)
{
	if (!call->result && call->facts.green)
		sc_handle_forget(SC_HANDLE_GREEN, call->facts.green, call->op.peer);
}

/* ---- streams and events ---- */

static void stream_created(struct sc_call *call)
{
	struct sc_handle *h = sc_handle_make(SC_HANDLE_STREAM, call->facts.handle,
					     call->facts.flags, call->op.context);

	call->op.stream = h ? h->id : 0;
}

/* The handle may come back from the next creation, so it dies when the call is entered (S-8). */
static void stream_dies(struct sc_call *call)
{
	if (call->stream && !(call->stream->flags & (SC_FLAG_LEGACY | SC_FLAG_PER_THREAD)))
		sc_handle_kill(sc_call_stream(call));
}

static void event_created(struct sc_call *call)
{
	struct sc_handle *h = sc_handle_make(SC_HANDLE_EVENT, call->facts.handle, call->facts.flags,
					     call->op.context);

	call->op.object = h ? h->id : 0;
}

static void event_dies(struct sc_call *call)
{
	sc_handle_kill(sc_call_object(call));
}

static void stream_waited(struct sc_call *call)
{
	if (!call->result && call->stream)
		sc_guard_waited_stream(sc_call_stream(call), call->sequence);
}

static void event_waited(struct sc_call *call)
{
	if (!call->result && call->object)
		sc_guard_waited_event(sc_call_object(call));
}

static void event_recorded(struct sc_call *call)
{
	if (!call->result && call->object && call->stream)
		sc_guard_record(sc_call_object(call), sc_call_stream(call), call->sequence);
}

/* The guard knows of waits for streams only: it learns nothing from such a record (E-9). */
static void event_recorded_widely(struct sc_call *call)
{
	if (!call->result && call->object)
		sc_guard_forget_record(sc_call_object(call));
}

static void event_joined(struct sc_call *call)
{
	if (!call->result && call->object && call->stream)
		sc_guard_join(sc_call_stream(call), sc_call_object(call));
}

static void semaphore_dies(struct sc_call *call)
{
	if (!call->result && call->facts.handle)
		sc_handle_forget(SC_HANDLE_SEMAPHORE, call->facts.handle, call->object_id);
}

/* ---- memory ---- */

static uint64_t device_alias(uint64_t host)
{
	const struct sc_driver *d = sc_driver();
	CUdeviceptr alias = 0;

	if (!d->MemHostGetDevicePointer || sc_self.callback ||
	    d->MemHostGetDevicePointer(&alias, (void *)host, 0))
		return 0;
	return alias == host ? 0 : alias;
}

static void remember(struct sc_call *call)
{
	const struct sc_facts *f = &call->facts;
	struct sc_op *op = &call->op;
	struct sc_known_allocation a = {.start = f->dst,
					.bytes = f->bytes,
					.object = op->object,
					.context = op->context,
					.module = f->module,
					.flags = op->flags,
					.memory = f->memory,
					.device = op->device};

	if (f->handle_type == SC_HANDLE_GRAPHICS)
		a.module = op->peer;
	if (f->memory == SC_MEM_PINNED || f->memory == SC_MEM_REGISTERED)
		a.alias = device_alias(f->dst);
	op->src = a.alias;
	a.is_open = f->memory == SC_MEM_REGISTERED && (sc_stack_operand_is_on_stack(f->dst) ||
						       sc_unprotected_has_stack(f->dst, f->bytes) ||
						       !sc_maps_is_plain(f->dst, f->bytes));
	sc_memory_insert(&sc_memory, &a);
}

static void allocated(struct sc_call *call)
{
	struct sc_op *op = &call->op;
	struct sc_handle *h;

	op->value = call->facts.value;
	op->dst_mem = call->facts.memory;
	if (call->facts.memory == SC_MEM_ARRAY) {
		h = sc_array_made(call);
		op->object = h ? h->id : 0;
		op->dst = h ? SC_ARRAY_ADDRESS(h->id) : 0;
		op->bytes = call->facts.bytes;
		return;
	}
	if (call->facts.handle_type == SC_HANDLE_GRAPHICS)
		op->peer = op->object;
	op->object = 1 + atomic_fetch_add_explicit(&sc_session.object_ids, 1, memory_order_relaxed);
	op->dst = call->facts.dst;
	op->bytes = call->facts.bytes;
	if (op->dst)
		remember(call);
	else
		op->kind = SC_OP_NONE; /* nothing was asked for */
}

static void allocated_in_pool(struct sc_call *call)
{
	sc_pool_allocating(call);
	allocated(call);
}

/* A module's variable is asked for again and again; it is an allocation once. */
static void variable_found(struct sc_call *call)
{
	struct sc_known_allocation known;

	if (call->facts.is_repeated && sc_memory_look_up(&sc_memory, call->facts.dst, &known) &&
	    known.start == call->facts.dst && known.bytes == call->facts.bytes &&
	    known.module == call->facts.module) {
		call->op.kind = SC_OP_NONE;
		return;
	}
	allocated(call);
}

/* Which allocation ends, so that a later one at the same address is not taken for it. */
static void freeing(struct sc_call *call)
{
	struct sc_known_allocation a;

	if (call->facts.dst_array) {
		struct sc_handle *h = sc_handle_find(SC_HANDLE_ARRAY, call->facts.dst_array);

		call->op.object = h && !h->was_freed ? h->id : 0;
		return;
	}
	call->op.object = call->facts.dst_object;
	if (call->op.object && atomic_load_explicit(&sc_guard.live, memory_order_relaxed) &&
	    sc_memory_look_up(&sc_memory, call->op.dst, &a))
		sc_guard_open_range(a.start, a.bytes, false);
}

static void freed(struct sc_call *call)
{
	if (call->result)
		return;
	if (call->facts.dst_array)
		sc_array_freed(call->facts.dst_array, call->op.object);
	else if (call->op.dst && call->op.kind != SC_OP_CALL)
		sc_memory_remove(&sc_memory, call->op.dst, call->op.object);
}

/* ---- work ---- */

/* Of the synchronous category only what has a side in the host's own memory waits (C-S1 to
 * C-S5, 4.8); managed memory does not count (4.5). */
static bool is_of_host(uint8_t memory)
{
	return sc_memory_is_host(memory) && memory != SC_MEM_MANAGED;
}

static void watch(const struct sc_call *call)
{
	const struct sc_enqueued operation = sc_call_enqueued(call);

	sc_guard_watch(&operation);
}

/* Accesses may be attached. */
static bool touches_host(const struct sc_call *call)
{
	return call->parts || sc_memory_is_host(call->op.dst_mem) ||
	       sc_memory_is_host(call->op.src_mem);
}

static void copied(struct sc_call *call)
{
	const struct sc_op *op = &call->op;
	bool waits = is_of_host(op->dst_mem) || is_of_host(op->src_mem);
	bool is_staged = op->src_mem == SC_MEM_PAGEABLE && op->dst_mem == SC_MEM_MANAGED; /* C-S1 */

	if (call->result || (op->flags & SC_FLAG_CAPTURED))
		return;
	if ((op->flags & SC_FLAG_SYNC) && waits && call->stream)
		sc_guard_waited_stream(sc_call_stream(call), call->sequence);
	if ((!(op->flags & SC_FLAG_SYNC) || !waits || is_staged) && touches_host(call))
		watch(call);
}

static void launched(struct sc_call *call)
{
	if (!call->result && !(call->op.flags & SC_FLAG_CAPTURED))
		watch(call);
}

static void graph_launching(struct sc_call *call)
{
	(void)call;
	sc_given_check_stack();
}

static void graph_launched(struct sc_call *call)
{
	const struct sc_enqueued launch = sc_call_enqueued(call);
	const struct sc_handle *exec = sc_handle_of(sc_call_object(call));
	struct sc_reading *r = exec ? sc_handle_nodes(exec) : NULL;

	if (call->result || (call->op.flags & SC_FLAG_CAPTURED) || !r)
		return;
	if (call->stream)
		sc_graph_operands_record(&r->operands, &launch);
	sc_guard_watch_graph(&launch, &r->operands);
}

static void host_function(struct sc_call *call)
{
	if (!call->result || !call->cell)
		return;
	if (!call->cell->is_kept)
		atomic_fetch_sub_explicit(&sc_session.callbacks, 1, memory_order_relaxed);
	sc_callback_drop(call->cell);
}

/* A recapture is counted before the driver says whether it begins. */
static void capture_begun(struct sc_call *call)
{
	(void)call;
	atomic_fetch_add_explicit(&sc_session.captures, 1, memory_order_relaxed);
	sc_session_changed();
}

static void capture_refused(struct sc_call *call)
{
	if (call->result && call->api->when == SC_WHEN_ENTRY)
		atomic_fetch_sub_explicit(&sc_session.captures, 1, memory_order_relaxed);
}

/* A graphics command buffer takes the stream's work along until the second call (W-9). */
void sc_capture_cig_begun(struct sc_call *call)
{
	if (call->result || !call->stream)
		return;
	call->stream->cig_of = call->stream_id;
	capture_begun(call);
}

void sc_capture_cig_ended(struct sc_call *call)
{
	if (call->result || !call->stream || call->stream->cig_of != call->stream_id)
		return;
	call->stream->cig_of = 0;
	atomic_fetch_sub_explicit(&sc_session.captures, 1, memory_order_relaxed);
}

/* Of the errors of the call, these end the capture too. */
static bool is_over(int result)
{
	return !result || result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
	       result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED ||
	       result == CUDA_ERROR_GRAPH_RECAPTURE_FAILURE;
}

/* The graph may be known: nodes were added to it by hand, or it was captured into. */
static void capture_ended(struct sc_call *call)
{
	struct sc_handle *h;

	if (is_over(call->result) &&
	    atomic_load_explicit(&sc_session.captures, memory_order_relaxed))
		atomic_fetch_sub_explicit(&sc_session.captures, 1, memory_order_relaxed);
	if (call->result)
		return;
	h = sc_handle_find(SC_HANDLE_GRAPH, call->facts.handle);
	if (!h || !sc_handle_may_ask(h)) /* of an earlier graph, whose end was not seen */
		h = sc_handle_make(SC_HANDLE_GRAPH, call->facts.handle, 0, 0);
	call->op.object = h ? h->id : 0;
}

void sc_graph_destroyed(struct sc_call *call)
{
	if (call->result || !call->facts.handle)
		return;
	sc_handle_kill(sc_call_object(call)); /* its parts rest on it */
	sc_handle_forget(SC_HANDLE_GRAPH, call->facts.handle, call->object_id);
}

static void module_loaded(struct sc_call *call)
{
	struct sc_handle *h = sc_handle_make(SC_HANDLE_MODULE, call->facts.handle, 0, 0);

	call->op.object = h ? h->id : 0;
}

static void module_unloaded(struct sc_call *call)
{
	if (call->result)
		return;
	sc_managed_variable_forget(call->op.object);
	sc_memory_remove_module(&sc_memory, call->op.object);
	sc_handle_kill(sc_call_object(call));
}

/* ---- queries ---- */

/* E-6: what it answers orders nothing if nobody looks at it. */
static void asking(struct sc_call *call)
{
	if (call->op.flags & SC_FLAG_LIBRARY)
		return;
	switch (sc_asker_of(call->op.stack)) {
	case SC_ASKER_UNREAD: call->op.flags |= SC_FLAG_UNREAD; break;
	case SC_ASKER_POOL: call->op.flags |= SC_FLAG_POOL; break;
	case SC_ASKER_PROGRAM: break;
	}
}

/* Where the program itself does not ask, a host access after the answer counts. */
static void stream_asked(struct sc_call *call)
{
	if (!(call->op.flags & (SC_FLAG_UNREAD | SC_FLAG_POOL)))
		stream_waited(call);
}

static void event_asked(struct sc_call *call)
{
	if (!(call->op.flags & (SC_FLAG_UNREAD | SC_FLAG_POOL)))
		event_waited(call);
}

/* ---- the table ---- */

static const struct sc_tracking kinds[SC_OP_KINDS] = {
	[SC_OP_CONTEXT_CREATE] = {context_created, NULL},
	[SC_OP_CONTEXT_DESTROY] = {NULL, context_destroyed},
	[SC_OP_CONTEXT_SYNC] = {NULL, context_waited},
	[SC_OP_STREAM_CREATE] = {stream_created, NULL},
	[SC_OP_STREAM_DESTROY] = {stream_dies, NULL},
	[SC_OP_STREAM_SYNC] = {NULL, stream_waited},
	[SC_OP_STREAM_QUERY] = {asking, stream_asked},
	[SC_OP_EVENT_CREATE] = {event_created, NULL},
	[SC_OP_EVENT_DESTROY] = {event_dies, NULL},
	[SC_OP_EVENT_SYNC] = {NULL, event_waited},
	[SC_OP_EVENT_QUERY] = {asking, event_asked},
	[SC_OP_EVENT_RECORD] = {NULL, event_recorded},
	[SC_OP_EVENT_WAIT] = {NULL, event_joined},
	[SC_OP_CONTEXT_RECORD] = {NULL, event_recorded_widely},
	[SC_OP_ALLOC] = {variable_found, NULL},
	[SC_OP_ALLOC_ASYNC] = {allocated_in_pool, NULL},
	[SC_OP_PIN] = {allocated, NULL},
	[SC_OP_FREE] = {freeing, freed},
	[SC_OP_FREE_ASYNC] = {freeing, freed},
	[SC_OP_UNPIN] = {freeing, freed},
	[SC_OP_COPY] = {NULL, copied},
	[SC_OP_SET] = {NULL, copied},
	[SC_OP_KERNEL] = {NULL, launched},
	[SC_OP_HOST_FUNC] = {NULL, host_function},
	[SC_OP_CAPTURE_BEGIN] = {capture_begun, capture_refused},
	[SC_OP_CAPTURE_END] = {capture_ended, NULL},
	[SC_OP_INSTANTIATE] = {sc_graph_instantiate, sc_graph_instantiated},
	[SC_OP_GRAPH_LAUNCH] = {graph_launching, graph_launched},
	[SC_OP_GRAPH_DESTROY] = {NULL, sc_graph_exec_destroyed},
	[SC_OP_MODULE_LOAD] = {module_loaded, NULL},
	[SC_OP_MODULE_UNLOAD] = {NULL, module_unloaded},
	[SC_OP_POOL] = {sc_pool_created, NULL},
	[SC_OP_POOL_DESTROY] = {NULL, sc_pool_destroyed},
	[SC_OP_VMM_MAP] = {sc_mapping_mapped, NULL},
	[SC_OP_VMM_UNMAP] = {NULL, sc_mapping_unmapped},
	[SC_OP_SEMAPHORE_DESTROY] = {NULL, semaphore_dies},
};

const struct sc_tracking *sc_tracking_of(enum sc_op_kind kind)
{
	return &kinds[kind];
}
