/* Graphs: nodes and the calls that made them, executable graphs and their updates. */
#include "interposer/call/graph.h"

#include <string.h>
#include "interposer/core/arena.h"
#include "interposer/call/callback.h"
#include "interposer/driver/driver.h"
#include "interposer/call/enqueued.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/guard/given.h"
#include "interposer/object/handle.h"
#include "interposer/core/table.h"
#include "interposer/core/module.h"
#include "interposer/core/lock.h"
#include "interposer/call/row_functions.h"

struct sc_graphs sc_graphs;

/* ---- who made a node ---- */

static struct sc_made *find_made(CUgraphNode node)
{
	return sc_table_get(&sc_graphs.made, (uint64_t)node);
}

/* Handles come back: of a node that no seen call made, an old record may be there. */
const struct sc_made *sc_graph_made(CUgraphNode node, CUgraph graph)
{
	const struct sc_made *m = find_made(node);
	const struct sc_handle *in = m ? sc_handle_of(m->graph) : NULL;

	return in && sc_handle_may_ask(in) && in == sc_handle_find(SC_HANDLE_GRAPH, graph) ? m
											   : NULL;
}

/* The record of a node, perhaps that of an earlier one. */
static struct sc_made *take_made(CUgraphNode node)
{
	struct sc_made *m = find_made(node);

	if (!m) {
		m = sc_arena_get(sizeof(*m));
		if (!m || sc_table_put(&sc_graphs.made, (uint64_t)node, m))
			return NULL;
	}
	return m;
}

struct sc_made sc_made_by(const struct sc_call *call)
{
	struct sc_made made = {.sequence = call->sequence,
			       .stack = call->op.stack,
			       .call = call->op.call,
			       .flags = call->op.flags,
			       .context = call->op.context,
			       .device = call->op.device};

	if (call->facts.handle_type == SC_HANDLE_EVENT)
		made.event = sc_call_object(call);
	return made;
}

/* The handle may be known as that of an earlier graph: bodies of conditional nodes, and graphs that
 * were moved into others, end without a call that names them. */
static void note_created(CUgraph graph)
{
	const struct sc_handle *h = sc_handle_find(SC_HANDLE_GRAPH, graph);

	if (h && !sc_handle_may_ask(h))
		sc_handle_forget(SC_HANDLE_GRAPH, graph, h->id);
}

/* A graph that a call uses, perhaps one that was captured and that no call has named yet. */
static struct sc_handle *see_graph(CUgraph graph)
{
	note_created(graph);
	return sc_handle_see(SC_HANDLE_GRAPH, graph);
}

static struct sc_made *note_made(const struct sc_call *call, CUgraphNode node, CUgraph graph)
{
	struct sc_made *m = node ? take_made(node) : NULL;

	if (!m)
		return NULL;
	*m = sc_made_by(call);
	m->graph = sc_handle_refer(see_graph(graph));
	return m;
}

/* All calls that add a node begin with these two. */
struct addition {
	CUgraphNode *out;
	CUgraph graph;
};

void sc_graph_node_made(struct sc_call *call)
{
	const struct addition *p = call->params;

	if (!call->result && p->out)
		note_made(call, *p->out, p->graph);
}

/* The node is what it is by this call from here on, in the graphs to be instantiated. */
void sc_graph_node_changed(struct sc_call *call)
{
	const CUgraphNode *node = call->params;
	struct sc_made *m = call->result ? NULL : find_made(*node), made;

	if (!m)
		return;
	made = sc_made_by(call);
	made.context = m->context;
	made.device = m->device;
	made.graph = m->graph;
	made.bodies = m->bodies;
	made.around = m->around;
	made.body_count = m->body_count;
	*m = made;
}

static void keep_copy(const struct sc_call *call, const CUDA_MEMCPY3D *copy)
{
	CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};

	if (call->result || !copy)
		return;
	params.memcpy.copyParams = *copy;
	sc_graph_node_keeps(&params);
}

void sc_graph_copy_made(struct sc_call *call)
{
	const cuGraphAddMemcpyNode_params *p = call->params;

	sc_graph_node_made(call);
	keep_copy(call, p->copyParams);
}

void sc_graph_copy_changed(struct sc_call *call)
{
	const cuGraphMemcpyNodeSetParams_params *p = call->params;

	sc_graph_node_changed(call);
	keep_copy(call, p->nodeParams);
}

void sc_graph_any_changed(struct sc_call *call)
{
	const cuGraphNodeSetParams_params *p = call->params;

	sc_graph_node_changed(call);
	if (!call->result && p->nodeParams)
		sc_graph_node_keeps(p->nodeParams);
}

/* Asks for the stream's dependency set: a captured op is all of it (G-2). */
static CUgraphNode last_captured(const struct sc_call *call, CUgraph *graph)
{
	const struct sc_driver *d = sc_driver();
	CUstream raw = (CUstream)call->facts.stream;
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	const CUgraphNode *nodes = NULL;
	const CUgraphEdgeData *edges = NULL;
	size_t count = 0;

	if (call->stream->flags & SC_FLAG_PER_THREAD)
		raw = CU_STREAM_PER_THREAD;
	if (d->StreamGetCaptureInfo_v3) {
		if (d->StreamGetCaptureInfo_v3(raw, &status, NULL, graph, &nodes, &edges, &count))
			return NULL;
	} else if (!d->StreamGetCaptureInfo_v2 ||
		   d->StreamGetCaptureInfo_v2(raw, &status, NULL, graph, &nodes, &count)) {
		return NULL;
	}
	return status == CU_STREAM_CAPTURE_STATUS_ACTIVE && count == 1 ? nodes[0] : NULL;
}

/* Records and waits of events only move the dependencies, and so do calls that are about these. */
static bool makes_node(unsigned kind)
{
	return sc_op_kind_class(kind) == SC_CLASS_ENQUEUE && kind != SC_OP_EVENT_RECORD &&
	       kind != SC_OP_EVENT_WAIT;
}

void sc_graph_captured(struct sc_call *call)
{
	CUgraph graph = NULL;
	CUgraphNode node;
	struct sc_made *m;

	if (call->result || !(call->op.flags & SC_FLAG_CAPTURED) ||
	    !sc_handle_of(sc_call_stream(call)) || !sc_handle_may_ask(call->stream) ||
	    !makes_node(call->op.kind))
		return;
	if (call->op.kind == SC_OP_COPY) {
		const struct sc_enqueued copy = sc_call_enqueued(call);

		sc_given_keep(&copy);
	}
	node = last_captured(call, &graph);
	m = note_made(call, node, graph);
	if (!m || call->op.kind != SC_OP_KERNEL || !call->function)
		return;
	m->function = (struct sc_handle_ref){call->function, call->op.object};
	m->function_raw = call->function->raw;
}

/* ---- clones ---- */

/* Nodes of a copy were made where those of the original were. */
static void copy_made(CUgraph original, CUgraph copy)
{
	const struct sc_handle_ref in = sc_handle_refer(sc_handle_see(SC_HANDLE_GRAPH, copy));
	const struct sc_driver *d = sc_driver();
	struct sc_reading r;

	if (!d->GraphNodeFindInClone || !sc_graph_read(&r, original))
		return;
	for (uint32_t i = 0; i < r.count; i++) {
		const struct sc_entry *e = sc_graph_entry(&r, i);
		const struct sc_made *from = sc_graph_made(e->node, e->graph);
		CUgraphNode twin = NULL;
		struct sc_made *to;

		if (e->parent || !from || d->GraphNodeFindInClone(&twin, e->node, copy))
			continue;
		to = take_made(twin);
		if (!to)
			continue;
		*to = *from;
		to->graph = in;
		to->bodies = NULL;
		to->body_count = 0;
	}
	sc_graph_read_fini(&r);
}

void sc_graph_created(struct sc_call *call)
{
	const cuGraphCreate_params *p = call->params;

	if (!call->result)
		note_created(*p->phGraph);
}

void sc_graph_cloned(struct sc_call *call)
{
	const cuGraphClone_params *p = call->params;

	if (call->result)
		return;
	note_created(*p->phGraphClone);
	copy_made(p->originalGraph, *p->phGraphClone);
}

/* The end of a graph is that of the copies in it. */
static void copy_child(CUgraphNode node, CUgraph graph, CUgraph original)
{
	const struct sc_driver *d = sc_driver();
	CUgraph child = NULL;

	if (!d->GraphChildGraphNodeGetGraph || d->GraphChildGraphNodeGetGraph(node, &child) ||
	    child == original)
		return;
	note_created(child);
	copy_made(original, child);
	sc_handle_set_outer(sc_handle_see(SC_HANDLE_GRAPH, child),
			    sc_handle_see(SC_HANDLE_GRAPH, graph));
}

void sc_graph_child_made(struct sc_call *call)
{
	const cuGraphAddChildGraphNode_params *p = call->params;

	sc_graph_node_made(call);
	if (!call->result)
		copy_child(*p->phGraphNode, p->hGraph, p->childGraph);
}

/* The driver reports the bodies of a conditional once, here; the array is the driver's for its
 * life. */
static void keep_bodies(struct sc_made *m, struct sc_handle *graph,
			const CUDA_CONDITIONAL_NODE_PARAMS *p)
{
	if (!graph || !p->phGraph_out || !p->size || p->size > UINT16_MAX)
		return;
	m->around = sc_handle_refer(graph);
	m->bodies = sc_arena_get(p->size * sizeof(*m->bodies));
	for (uint32_t i = 0; m->bodies && i < p->size; i++) {
		struct sc_handle *body =
			sc_handle_make(SC_HANDLE_GRAPH, p->phGraph_out[i], 0, graph->context);

		if (!body)
			return;
		sc_handle_set_outer(body, graph);
		m->bodies[m->body_count++] = p->phGraph_out[i];
	}
}

/* The end of a graph is that of the graphs that were moved into it. */
static void move_child(CUgraph graph, const CUDA_CHILD_GRAPH_NODE_PARAMS *p)
{
	struct sc_handle *child;

	if (p->ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE)
		return;
	child = sc_handle_see(SC_HANDLE_GRAPH, p->graph);
	if (child)
		sc_handle_set_outer(child, sc_handle_see(SC_HANDLE_GRAPH, graph));
}

static void any_made(struct sc_call *call, CUgraphNode *node, CUgraph graph,
		     const CUgraphNodeParams *p)
{
	struct sc_made *m;

	if (call->result || !node || !p)
		return;
	m = note_made(call, *node, graph);
	sc_graph_node_keeps(p);
	if (m && p->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
		m->event = sc_handle_refer(sc_handle_see(SC_HANDLE_EVENT, p->eventRecord.event));
	if (m && p->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT)
		m->event = sc_handle_refer(sc_handle_see(SC_HANDLE_EVENT, p->eventWait.event));
	if (m && p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
		keep_bodies(m, sc_handle_see(SC_HANDLE_GRAPH, graph), &p->conditional);
	if (p->type != CU_GRAPH_NODE_TYPE_GRAPH)
		return;
	copy_child(*node, graph, p->graph.graph);
	move_child(graph, &p->graph);
}

void sc_graph_any_made(struct sc_call *call)
{
	const cuGraphAddNode_params *p = call->params;

	any_made(call, p->phGraphNode, p->hGraph, p->nodeParams);
}

void sc_graph_any_made_v2(struct sc_call *call)
{
	const cuGraphAddNode_v2_params *p = call->params;

	any_made(call, p->phGraphNode, p->hGraph, p->nodeParams);
}

void sc_graph_node_destroyed(struct sc_call *call)
{
	const cuGraphDestroyNode_params *p = call->params;
	struct sc_made *m = call->result ? NULL : find_made(p->hNode);

	for (uint32_t i = 0; m && i < m->body_count; i++) {
		struct sc_handle *body = sc_handle_find(SC_HANDLE_GRAPH, m->bodies[i]);

		if (body && body->outer_id == m->around.id) /* not a later graph's handle */
			sc_handle_kill(sc_handle_refer(body));
	}
	if (!m)
		return;
	m->body_count = 0;
	m->graph = (struct sc_handle_ref){0};
}

/* ---- user objects ---- */

/* A handle that comes back has the record of the object before it. */
void sc_graph_object_made(struct sc_call *call)
{
	const cuUserObjectCreate_params *p = call->params;
	uint64_t key = call->result ? 0 : (uint64_t)*p->object_out;
	uint64_t *made = key ? sc_table_get(&sc_graphs.objects, key) : NULL;

	if (key && !made) {
		made = sc_arena_get(sizeof(*made));
		if (!made || sc_table_put(&sc_graphs.objects, key, made))
			return;
	}
	if (made)
		*made = call->sequence + 1;
}

/* Retained by a graph, or released: both calls have the object second. */
void sc_graph_object_named(struct sc_call *call)
{
	const cuGraphRetainUserObject_params *p = call->params;
	const uint64_t *made =
		p->object ? sc_table_get(&sc_graphs.objects, (uint64_t)p->object) : NULL;

	call->op.link = made ? *made : 0;
}

/* ---- executable graphs ---- */

static struct sc_reading *take_reading(void)
{
	struct sc_graphs *g = &sc_graphs;
	struct sc_reading *r;

	sc_lock_get(&g->lock);
	r = g->free;
	if (r)
		g->free = r->next;
	sc_lock_put(&g->lock);
	return r ? r : sc_arena_get(sizeof(*r));
}

static void drop_reading(struct sc_reading *r)
{
	struct sc_graphs *g = &sc_graphs;

	if (!r)
		return;
	sc_graph_read_fini(r);
	sc_lock_get(&g->lock);
	r->next = g->free;
	g->free = r;
	sc_lock_put(&g->lock);
}

/* What an earlier object left in the record, whose end was not seen, goes. */
static void set_nodes(struct sc_handle *exec, struct sc_reading *r)
{
	struct sc_reading *before;

	sc_lock_get(&sc_graphs.lock);
	before = exec->nodes;
	exec->nodes = r;
	exec->nodes_of = exec->id;
	sc_lock_put(&sc_graphs.lock);
	drop_reading(before);
}

/* Another thread may have instantiated a graph in the record since the driver has returned. */
static struct sc_reading *take_nodes(struct sc_handle_ref exec)
{
	struct sc_reading *r = NULL;

	sc_lock_get(&sc_graphs.lock);
	if (sc_handle_kill(exec)) {
		r = exec.handle->nodes;
		exec.handle->nodes = NULL;
	}
	sc_lock_put(&sc_graphs.lock);
	return r;
}

static void write_nodes(const struct sc_handle *exec, struct sc_reading *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		sc_graph_node_write(exec, r, i, 0);
	sc_graph_count_all_unread(r);
}

/* All four calls begin with these two. */
struct instantiation {
	CUgraphExec *exec;
	CUgraph graph;
};

/* Before the op: its number, and how many nodes follow. */
void sc_graph_instantiate(struct sc_call *call)
{
	const struct instantiation *p = call->params;
	struct sc_reading *r = take_reading();
	struct sc_handle *h;

	call->op.peer = call->op.object;
	h = sc_handle_make(SC_HANDLE_EXEC, *p->exec, 0, call->op.context);
	sc_call_set_object(call, h);
	call->op.object = call->object_id;
	call->op.bytes = 0;
	if (r && (!h || !sc_graph_read(r, p->graph))) {
		drop_reading(r);
		r = NULL;
	}
	if (r)
		call->op.bytes = r->count;
	if (h)
		set_nodes(h, r);
}

/* G-14: no API reports launches by the device. */
static void note_launchable(const struct sc_call *call)
{
	if (call->op.value & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH &&
	    !atomic_exchange(&sc_graphs.are_launched, true))
		sc_put_source("launches of graphs by the device itself", false);
}

static uint32_t new_id(void)
{
	return atomic_fetch_add_explicit(&sc_session.object_ids, 1, memory_order_relaxed) + 1;
}

/* The call was refused, perhaps because of what its nodes refer to: these are written for an
 * executable graph that there is not. */
static void write_refused(const struct sc_call *call)
{
	const struct instantiation *p = call->params;
	struct sc_op op = sc_put_new(SC_OP_INSTANTIATE);
	struct sc_handle none = {.id = new_id()};
	struct sc_reading *r = take_reading();

	if (r && sc_graph_read(r, p->graph)) {
		op.object = none.id;
		op.call = call->op.call;
		op.stack = call->op.stack;
		op.context = call->op.context;
		op.result = call->result;
		op.bytes = r->count;
		sc_put_op(&op, NULL, 0);
		write_nodes(&none, r);
	}
	drop_reading(r);
}

/* After the op: the nodes. What finds the nodes later needs their handles only. */
void sc_graph_instantiated(struct sc_call *call)
{
	struct sc_handle *h = call->object;
	struct sc_reading *r;

	if (call->result == CUDA_ERROR_INVALID_VALUE && !sc_self.callback)
		write_refused(call);
	if (call->result || !h)
		return;
	note_launchable(call);
	r = sc_handle_nodes(h);
	if (!r) {
		sc_graph_count_unread(SC_UNREAD_GRAPH, 1);
		return;
	}
	write_nodes(h, r);
	sc_graph_read_pack(r);
}

/* The nodes of a graph as they are known without the driver. */
struct dying {
	const struct sc_handle *graph;
	const struct sc_call *call; /* NULL: the nodes are only counted */
	uint32_t count;
};

static void see_dying(void *data, const void *record)
{
	const struct sc_made *m = record;
	struct dying *d = data;
	struct sc_node place = {.index = d->count};
	const struct sc_attachment part = {SC_ATTACH_NODE, sizeof(place), &place};
	struct sc_op op;

	if (sc_handle_of(m->graph) != d->graph)
		return;
	d->count++;
	if (!d->call)
		return;
	op = sc_put_new(SC_OP_NODE);
	op.peer = d->call->op.object;
	op.flags = SC_FLAG_NODE | SC_FLAG_CAPTURED | (m->flags & SC_FLAG_LIBRARY);
	op.link = m->sequence + 1;
	op.stack = m->stack;
	op.call = m->call;
	op.context = m->context;
	sc_put_op(&op, &part, 1);
}

void sc_graph_dies(struct sc_call *call)
{
	const struct instantiation *p = call->params;
	struct dying d = {.graph = sc_handle_find(SC_HANDLE_GRAPH, p->graph)};

	if (d.graph)
		sc_table_visit(&sc_graphs.made, see_dying, &d);
	call->op.object = new_id();
	call->op.bytes = d.count;
}

void sc_graph_died(const struct sc_call *call)
{
	const struct instantiation *p = call->params;
	struct dying d = {.graph = sc_handle_find(SC_HANDLE_GRAPH, p->graph), .call = call};

	if (d.graph)
		sc_table_visit(&sc_graphs.made, see_dying, &d);
}

/* The handle is free again; an instantiation gives it its next meaning. */
void sc_graph_exec_destroyed(struct sc_call *call)
{
	if (!call->result && call->object)
		drop_reading(take_nodes(sc_call_object(call)));
}

/* The graph given is what runs from now on; nodes keep the names that they had (G-10). */
void sc_graph_exec_updated(struct sc_call *call)
{
	const struct {
		CUgraphExec exec;
		CUgraph graph;
	} *p = call->params;
	struct sc_handle *h = sc_handle_find(SC_HANDLE_EXEC, p->exec);
	struct sc_reading r;
	struct sc_op op;

	if (call->result || !h)
		return;
	op = sc_put_new(SC_OP_INSTANTIATE);
	op.object = h->id;
	op.peer = sc_handle_refer(sc_handle_see(SC_HANDLE_GRAPH, p->graph)).id;
	op.call = call->op.call;
	op.stack = call->op.stack;
	op.context = call->op.context;
	if (!sc_graph_read(&r, p->graph)) {
		sc_graph_count_unread(SC_UNREAD_GRAPH, 1);
		sc_graph_read_fini(&r);
		return;
	}
	op.bytes = r.count;
	sc_put_op(&op, NULL, 0);
	if (sc_handle_nodes(h))
		sc_graph_operands_clear(&sc_handle_nodes(h)->operands);
	write_nodes(h, &r);
	sc_graph_read_fini(&r);
}

/* ---- the module ---- */

const struct sc_module sc_module_graph = {SC_MODULE_STATE(sc_graphs)};
