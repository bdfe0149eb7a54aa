/* One node of a graph as an op: the kind and the fields of its stream form. */
#include <string.h>
#include "interposer/call/memop.h"
#include "interposer/call/pool.h"
#include "interposer/call/callback.h"
#include "interposer/driver/driver.h"
#include "interposer/call/graph.h"
#include "interposer/call/launch.h"
#include "interposer/core/put.h"
#include "interposer/object/memory.h"
#include "interposer/object/handle.h"
#include "interposer/guard/given.h"
#include "interposer/guard/graph_operands.h"
#include "interposer/call/enqueued.h"
#include "interposer/core/thread.h"
#include "interposer/core/scratch.h"
#include "interposer/call/row_functions.h"

/* An op under construction, in the shape that the decoders of stream calls fill. */
struct node_op {
	struct sc_call call;
	const struct sc_made *made;
};

void sc_graph_count_unread(enum sc_unread what, uint32_t count)
{
	static const char *const texts[] = {
		[SC_UNREAD_GRAPH] = "graphs whose nodes the driver does not report",
		[SC_UNREAD_CHILD] = "child graphs that the driver does not report",
		[SC_UNREAD_BODY] = "conditional nodes of graphs whose bodies are not known",
		[SC_UNREAD_PARAMS] = "nodes of graphs whose parameters the driver does not report",
		[SC_UNREAD_NODE] = "updates of nodes of graphs that are not known",
	};
	struct sc_attachment part = {SC_ATTACH_TEXT, (uint32_t)strlen(texts[what]), texts[what]};
	struct sc_op op;

	if (!count)
		return;
	op = sc_put_new(SC_OP_LOST);
	op.value = count;
	op.call = sc_put_string("cuGraphInstantiate");
	sc_put_op(&op, &part, 1);
}

void sc_graph_count_all_unread(const struct sc_reading *r)
{
	for (unsigned i = 0; i < SC_UNREAD_KINDS; i++)
		sc_graph_count_unread((enum sc_unread)i, r->unread[i]);
}

static void begin(struct node_op *n, const struct sc_handle *exec, const struct sc_made *made)
{
	struct sc_handle *context = sc_context_current();
	struct sc_op *op = &n->call.op;

	memset(n, 0, sizeof(*n));
	*op = sc_put_new(SC_OP_NODE);
	op->peer = exec->id;
	op->flags = SC_FLAG_NODE | SC_FLAG_CAPTURED;
	if (context) {
		op->context = context->id;
		op->device = (uint8_t)context->device;
	}
	n->made = made;
	if (!made)
		return;
	op->context = made->context;
	op->device = made->device;
	op->link = made->sequence + 1;
	op->stack = made->stack;
	op->call = made->call;
	op->flags |= made->flags & SC_FLAG_LIBRARY;
}

/* ---- kinds ---- */

/* Where it runs is for its context to say, or the call that made it (rules about rights ask). */
static void kernel(struct node_op *n, const CUDA_KERNEL_NODE_PARAMS_v3 *p)
{
	struct sc_handle *context = p->ctx ? sc_handle_find(SC_HANDLE_CONTEXT, p->ctx) : NULL;
	struct sc_op *op = &n->call.op;

	if (context || !n->made) {
		op->context = context ? context->id : 0;
		op->device = (uint8_t)(context ? context->device : 0);
	}
	op->kind = SC_OP_KERNEL;
	if (n->made)
		sc_launch_node(&n->call, p, n->made->function, n->made->function_raw);
	else
		sc_launch_node(&n->call, p, (struct sc_handle_ref){0}, NULL);
}

static void copy(struct node_op *n, const CUDA_MEMCPY3D *p)
{
	cuMemcpy3D_v2_params params = {.pCopy = p};

	n->call.op.kind = SC_OP_COPY;
	n->call.params = &params;
	sc_copy_3d(&n->call);
	n->call.params = NULL;
}

/* Sources are read when the node runs, whatever order the copies' attributes name (G-9). */
static void copy_batch(struct node_op *n, const CUDA_MEMCPY_BATCH_NODE_PARAMS_V1 *p)
{
	CUmemcpyAttributes in_order = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
	size_t first = 0;
	cuMemcpyBatchAsync_v2_params params = {.dsts = p->dsts,
					       .srcs = p->srcs,
					       .sizes = p->sizes,
					       .count = p->count,
					       .attrs = &in_order,
					       .attrsIdxs = &first,
					       .numAttrs = 1};

	n->call.op.kind = SC_OP_COPY;
	n->call.params = &params;
	sc_copy_batch_v2(&n->call);
	n->call.params = NULL;
}

static void copy_fabric(struct node_op *n, const CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1 *p)
{
	cuFabricCpyBatchAsync_params params = {.numOps = p->numOps, .opList = p->opList};

	n->call.op.kind = SC_OP_COPY;
	n->call.params = &params;
	sc_copy_fabric(&n->call);
	n->call.params = NULL;
}

static void fill(struct node_op *n, const CUDA_MEMSET_NODE_PARAMS_v2 *p)
{
	uint64_t width = (uint64_t)p->width * p->elementSize, rows = p->height ? p->height : 1;
	struct sc_call_operand o = sc_memory_classify(p->dst, (rows - 1) * p->pitch + width, false);
	struct sc_access *a = (struct sc_access *)sc_thread_scratch();
	struct sc_op *op = &n->call.op;

	op->kind = SC_OP_SET;
	op->dst = o.address;
	op->dst_mem = o.memory;
	op->value = p->value;
	if (rows == 1) {
		op->bytes = width;
		return;
	}
	if (!a)
		return;
	*a = (struct sc_access){.base = o.address,
				.width = width,
				.pitch = p->pitch,
				.rows = rows,
				.slices = 1,
				.mode = SC_WRITE,
				.known = SC_KNOWN_EXACT,
				.memory = o.memory};
	sc_call_attach(&n->call, SC_ATTACH_ACCESSES, a, sizeof(*a));
}

/* The cell of our trampoline says which op the callback will name. */
static void host(struct node_op *n, const CUDA_HOST_NODE_PARAMS_v2 *p)
{
	const struct sc_cell *cell = sc_callback_cell(p->fn, p->userData);

	n->call.op.kind = SC_OP_HOST_FUNC;
	if (cell && cell->sequence != SC_NOT_WRITTEN)
		n->call.op.link = cell->sequence + 1;
}

/* The handle may be another event's by now. */
static void event(struct node_op *n, CUevent raw, enum sc_op_kind kind)
{
	struct sc_handle *h = raw ? sc_handle_see(SC_HANDLE_EVENT, raw) : NULL;

	n->call.op.kind = (uint16_t)kind;
	sc_call_set_object(&n->call, h);
	n->call.op.object = n->made && n->made->event.id ? n->made->event.id : n->call.object_id;
}

/* The node's address is memory from here on, for operands of other nodes too (G-13). */
static void begin_memory(struct node_op *n, const CUDA_MEM_ALLOC_NODE_PARAMS_v2 *p)
{
	struct sc_op *op = &n->call.op;
	struct sc_known_allocation a;

	op->kind = SC_OP_ALLOC_ASYNC;
	op->dst = p->dptr;
	op->bytes = p->bytesize;
	op->dst_mem = sc_pool_memory(&p->poolProps);
	op->flags |= SC_FLAG_POOL;
	if (!sc_memory_look_up(&sc_memory, p->dptr, &a) && p->dptr && p->bytesize)
		sc_memory_insert(&sc_memory, &(struct sc_known_allocation){.start = p->dptr,
									   .bytes = p->bytesize,
									   .context = op->context,
									   .flags = SC_FLAG_POOL,
									   .memory = op->dst_mem,
									   .device = op->device});
}

static void end_memory(struct node_op *n, CUdeviceptr address)
{
	n->call.op.kind = SC_OP_FREE_ASYNC;
	n->call.op.dst = address;
	n->call.op.dst_mem = SC_MEM_DEVICE;
}

static void memops(struct node_op *n, const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *p)
{
	struct sc_access *a = sc_call_room(p->count, 1);
	uint32_t count = 0;

	for (unsigned i = 0; a && i < p->count; i++) {
		const CUstreamBatchMemOpParams *o = &p->paramArray[i];

		switch ((int)o->operation) {
		case CU_STREAM_MEM_OP_WRITE_VALUE_32:
			a[count++] = sc_memory_access(o->writeValue.address, 4, SC_WRITE);
			break;
		case CU_STREAM_MEM_OP_WRITE_VALUE_64:
			a[count++] = sc_memory_access(o->writeValue.address, 8, SC_WRITE);
			break;
		case CU_STREAM_MEM_OP_WAIT_VALUE_32:
			a[count++] = sc_memory_access(o->waitValue.address, 4, SC_READ);
			break;
		case CU_STREAM_MEM_OP_WAIT_VALUE_64:
			a[count++] = sc_memory_access(o->waitValue.address, 8, SC_READ);
			break;
		case CU_STREAM_MEM_OP_ATOMIC_REDUCTION:
			a[count++] = sc_memory_access(o->atomicReduction.address,
						      sc_memop_reduced_bytes(o), SC_WRITE);
			break;
		default: break;
		}
	}
	if (count)
		sc_call_attach(&n->call, SC_ATTACH_ACCESSES, a, count * (uint32_t)sizeof(*a));
}

static void fill_op(struct node_op *n, const CUgraphNodeParams *p)
{
	n->call.op.kind = SC_OP_NODE;
	switch ((int)p->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL: kernel(n, &p->kernel); return;
	case CU_GRAPH_NODE_TYPE_MEMCPY: copy(n, &p->memcpy.copyParams); return;
	case CU_GRAPH_NODE_TYPE_MEMSET: fill(n, &p->memset); return;
	case CU_GRAPH_NODE_TYPE_HOST: host(n, &p->host); return;
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		event(n, p->eventRecord.event, SC_OP_EVENT_RECORD);
		return;
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT: event(n, p->eventWait.event, SC_OP_EVENT_WAIT); return;
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC: begin_memory(n, &p->alloc); return;
	case CU_GRAPH_NODE_TYPE_MEM_FREE: end_memory(n, p->free.dptr); return;
	case CU_GRAPH_NODE_TYPE_MEMCPY_BATCH: copy_batch(n, &p->memcpyBatch); return;
	case CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH: copy_fabric(n, &p->fabricCpyBatch); return;
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: memops(n, &p->memOp); break;
	default: break;
	}
	n->call.op.value = (uint64_t)p->type;
}

/* Of nodes of other types, what they do is not known: external engines, and what comes after CUDA
 * 13.5. */
static bool is_known(CUgraphNodeType type)
{
	return type <= CU_GRAPH_NODE_TYPE_CONDITIONAL || type == CU_GRAPH_NODE_TYPE_MEMCPY_BATCH ||
	       type == CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH;
}

/* ---- asking the driver ---- */

/* Structs of older versions are the beginnings of the newer ones. */
static CUresult ask(CUgraphNode node, CUgraphNodeParams *p)
{
	const struct sc_driver *d = sc_driver();

#define ASK(name, out) return d->name ? d->name(node, (void *)(out)) : CUDA_ERROR_NOT_SUPPORTED
	switch ((int)p->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL: ASK(GraphKernelNodeGetParams, &p->kernel);
	case CU_GRAPH_NODE_TYPE_MEMCPY: ASK(GraphMemcpyNodeGetParams, &p->memcpy.copyParams);
	case CU_GRAPH_NODE_TYPE_MEMSET: ASK(GraphMemsetNodeGetParams, &p->memset);
	case CU_GRAPH_NODE_TYPE_HOST: ASK(GraphHostNodeGetParams, &p->host);
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		ASK(GraphEventRecordNodeGetEvent, &p->eventRecord.event);
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT: ASK(GraphEventWaitNodeGetEvent, &p->eventWait.event);
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC: ASK(GraphMemAllocNodeGetParams, &p->alloc);
	case CU_GRAPH_NODE_TYPE_MEM_FREE: ASK(GraphMemFreeNodeGetParams, &p->free.dptr);
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: ASK(GraphBatchMemOpNodeGetParams, &p->memOp);
	case CU_GRAPH_NODE_TYPE_MEMCPY_BATCH:
	case CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH: ASK(GraphNodeGetParams, p);
	default: return is_known(p->type) ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
	}
#undef ASK
}

_Static_assert(offsetof(CUDA_KERNEL_NODE_PARAMS_v3, ctx) ==
		       offsetof(CUDA_KERNEL_NODE_PARAMS_v2, ctx),
	       "one struct, two names");
_Static_assert(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS_v2) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS_v1),
	       "one struct, two names");
_Static_assert(sizeof(CUDA_BATCH_MEM_OP_NODE_PARAMS_v2) == sizeof(CUDA_BATCH_MEM_OP_NODE_PARAMS_v1),
	       "one struct, two names");

/* ---- writing ---- */

#define EDGES_MOST 12000 /* of one record */

/* The edges into a node; those that one record does not hold stand in further ones. */
static void put(struct node_op *n, struct sc_node place, const struct sc_dependency *edges,
		uint32_t count)
{
	uint32_t now = count < EDGES_MOST ? count : EDGES_MOST;

	sc_call_attach(&n->call, SC_ATTACH_NODE, &place, sizeof(place));
	sc_call_attach(&n->call, 0, edges, now * (uint32_t)sizeof(*edges));
	sc_put_op(&n->call.op, n->call.part, n->call.parts);
	while ((count -= now)) {
		struct sc_attachment part[2] = {{SC_ATTACH_NODE, sizeof(place), &place}};

		edges += now;
		now = count < EDGES_MOST ? count : EDGES_MOST;
		place.flags |= SC_NODE_MORE;
		part[1] = (struct sc_attachment){0, now * (uint32_t)sizeof(*edges), edges};
		sc_put_op(&n->call.op, part, 2);
	}
}

static bool is_copy(CUgraphNodeType type)
{
	return type == CU_GRAPH_NODE_TYPE_MEMCPY || type == CU_GRAPH_NODE_TYPE_MEMCPY_BATCH ||
	       type == CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH;
}

void sc_graph_node_keeps(const CUgraphNodeParams *p)
{
	struct node_op n = {.made = NULL};
	struct sc_enqueued node;

	if (!is_copy(p->type))
		return;
	n.call.op = sc_put_new(SC_OP_NODE);
	fill_op(&n, p);
	node = sc_call_enqueued(&n.call);
	sc_given_keep(&node);
}

/* What the page guard has to know of the node. */
static void notify_guard(const struct sc_handle *exec, uint32_t index, const struct sc_call *call)
{
	const struct sc_enqueued node = sc_call_enqueued(call);
	struct sc_reading *r = sc_handle_nodes(exec);

	sc_given_keep(&node);
	if (r)
		sc_graph_operands_set_node(&r->operands, index, &node);
}

void sc_graph_named(struct sc_call *call)
{
	(void)call;
	atomic_store_explicit(&sc_graphs.are_named, true, memory_order_relaxed);
}

/* What the driver calls the node (G-17), for a program that has read or printed such names. */
static void put_name(const struct sc_handle *exec, const struct sc_entry *e, uint32_t index)
{
	struct sc_op op = sc_put_new(SC_OP_NODE_NAME);
	const struct sc_driver *d = sc_driver();
	unsigned graph, local;

	if (!atomic_load_explicit(&sc_graphs.are_named, memory_order_relaxed) || !d->GraphGetId ||
	    !d->GraphNodeGetLocalId || d->GraphGetId(e->graph, &graph) ||
	    d->GraphNodeGetLocalId(e->node, &local))
		return;
	op.object = exec->id;
	op.value = index;
	op.peer = graph;
	op.bytes = local;
	sc_put_op(&op, NULL, 0);
}

void sc_graph_node_write(const struct sc_handle *exec, struct sc_reading *r, uint32_t index,
			 uint32_t flags)
{
	const struct sc_entry *e = sc_graph_entry(r, index);
	const uint32_t *first = r->first.start;
	const struct sc_dependency *edges = r->dependencies.start;
	struct sc_node place = {
		.index = r->base + index, .parent = e->parent, .flags = flags, .body = e->body};
	CUgraphNodeParams params = {.type = e->type};
	struct node_op n;

	begin(&n, exec, sc_graph_made(e->node, e->graph));
	if (ask(e->node, &params)) {
		n.call.op.value = (uint64_t)e->type;
		r->unread[SC_UNREAD_PARAMS]++;
	} else {
		fill_op(&n, &params);
	}
	put(&n, place, edges + first[index], first[index + 1] - first[index]);
	put_name(exec, e, place.index);
	notify_guard(exec, place.index, &n.call);
}

void sc_graph_node_update(const struct sc_handle *exec, uint32_t index, const struct sc_made *made,
			  const CUgraphNodeParams *params)
{
	struct node_op n;

	begin(&n, exec, made);
	fill_op(&n, params);
	sc_graph_count_unread(SC_UNREAD_PARAMS, !is_known(params->type));
	put(&n, (struct sc_node){.index = index, .flags = SC_NODE_UPDATE}, NULL, 0);
	notify_guard(exec, index, &n.call);
}

void sc_graph_node_switch(const struct sc_handle *exec, uint32_t index, bool is_on)
{
	struct sc_reading *r = sc_handle_nodes(exec);
	struct node_op n;

	begin(&n, exec, NULL);
	put(&n,
	    (struct sc_node){.index = index, .flags = is_on ? SC_NODE_ENABLED : SC_NODE_DISABLED},
	    NULL, 0);
	if (r)
		sc_graph_operands_switch(&r->operands, index, is_on);
}
