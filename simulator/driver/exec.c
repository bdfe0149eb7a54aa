/* Instantiating and launching graphs (rules G-6, G-7, G-9, G-11). */
#include <stdlib.h>
#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/capture.h"
#include "simulator/driver/context.h"
#include "simulator/driver/event.h"
#include "simulator/driver/graph.h"
#include "simulator/driver/graph_capture.h"
#include "simulator/driver/graph_memory.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/launch.h"
#include "simulator/driver/memop.h"
#include "simulator/driver/schedule.h"
#include "simulator/driver/stream.h"

#define KNOWN_FLAGS                                                                             \
	(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD | \
	 CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH |                                            \
	 CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY)

/* A launch under construction: the op that starts it, and the ops made so far. */
struct launch {
	CUstream stream;
	CUgraphExec exec;
	struct sim_op *start; /* borrowed */
	uint64_t index;
};

bool sim_graph_sort_all(CUgraph graph)
{
	CUgraph inner;
	size_t i, j;

	if (!sim_graph_sort(graph))
		return false;
	for (i = 0; i < graph->count; i++)
		for (j = 0; (inner = sim_node_inner(graph->nodes[i], j)); j++)
			if (!sim_graph_sort_all(inner))
				return false;
	return true;
}

/* Bodies of conditions take these types of nodes only (G-9); memory stays in outermost graphs. */
static bool is_allowed(CUgraphNodeType type, bool in_body, bool is_inner)
{
	switch ((int)type) {
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
	case CU_GRAPH_NODE_TYPE_MEM_FREE: return !is_inner;
	case CU_GRAPH_NODE_TYPE_HOST:
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: return !in_body;
	}
	return true;
}

/* What a driver checks before it accepts a graph: types, and that kernels can be launched. */
static CUresult check_nodes(CUgraph graph, bool in_body, bool is_inner)
{
	CUresult result = CUDA_SUCCESS;
	CUgraphNode node;
	CUgraph inner;
	size_t i, j;

	for (i = 0; i < graph->count && result == CUDA_SUCCESS; i++) {
		node = graph->nodes[i];
		if (!is_allowed(node->type, in_body, is_inner))
			return CUDA_ERROR_NOT_SUPPORTED;
		if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
			result = sim_launch_check(&node->kernel.params, node->context);
		for (j = 0; result == CUDA_SUCCESS && (inner = sim_node_inner(node, j)); j++)
			result = check_nodes(
				inner, in_body || node->type == CU_GRAPH_NODE_TYPE_CONDITIONAL,
				true);
	}
	return result;
}

/* G-14: work of the device only. The device never launches it here, since kernels do not run. */
static bool is_launchable(CUgraph graph)
{
	size_t i;

	for (i = 0; i < graph->count; i++)
		switch ((int)graph->nodes[i]->type) {
		case CU_GRAPH_NODE_TYPE_KERNEL:
		case CU_GRAPH_NODE_TYPE_MEMCPY:
		case CU_GRAPH_NODE_TYPE_MEMSET: break;
		case CU_GRAPH_NODE_TYPE_GRAPH:
			if (!is_launchable(graph->nodes[i]->child))
				return false;
			break;
		default: return false;
		}
	return true;
}

static CUresult instantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	CUresult result;

	if (!exec || (flags & ~(unsigned long long)KNOWN_FLAGS))
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(graph, SIM_KIND_GRAPH))
		return CUDA_ERROR_INVALID_VALUE;
	if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) {
		if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH)
			return CUDA_ERROR_INVALID_VALUE;
		if (!is_launchable(graph))
			return CUDA_ERROR_NOT_SUPPORTED;
	}
	result = check_nodes(graph, false, false);
	if (result == CUDA_SUCCESS)
		result = sim_graph_memory_check_instance(graph);
	if (result != CUDA_SUCCESS)
		return result;
	*exec = sim_handle_new(SIM_KIND_EXEC, sizeof(**exec));
	if (!*exec)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*exec)->flags = flags;
	(*exec)->id = sim_next_id();
	(*exec)->graph = sim_graph_copy(graph);
	if ((*exec)->graph && sim_graph_sort_all((*exec)->graph)) {
		sim_graph_memory_mark_instance((*exec)->graph, true);
		return CUDA_SUCCESS;
	}
	result = (*exec)->graph ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY;
	if ((*exec)->graph)
		sim_graph_free((*exec)->graph);
	sim_handle_remove(*exec);
	free(*exec);
	return result;
}

CUresult sim_cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
					 unsigned long long flags)
{
	return instantiate(phGraphExec, hGraph, flags);
}

CUresult sim_cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph,
				   CUgraphNode *phErrorNode, char *logBuffer, size_t bufferSize)
{
	if (phErrorNode)
		*phErrorNode = NULL;
	if (logBuffer && bufferSize)
		logBuffer[0] = 0;
	return instantiate(phGraphExec, hGraph, 0);
}

CUresult sim_cuGraphInstantiate(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode,
				char *logBuffer, size_t bufferSize)
{
	return sim_cuGraphInstantiate_v2(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

CUresult sim_cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
					  CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams)
{
	CUresult result;

	if (!instantiateParams)
		return CUDA_ERROR_INVALID_VALUE;
	result = instantiate(phGraphExec, hGraph, instantiateParams->flags);
	instantiateParams->hErrNode_out = NULL;
	instantiateParams->result_out = result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS
							       : CUDA_GRAPH_INSTANTIATE_ERROR;
	if (result == CUDA_SUCCESS &&
	    (instantiateParams->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD))
		result = sim_cuGraphUpload(*phGraphExec, instantiateParams->hUploadStream);
	return result;
}

/* The work of one node, resolved now: parameters are those of this launch (G-10). */
static CUresult node_work(CUgraphNode node, struct sim_work *work)
{
	*work = (struct sim_work){.kind = SIM_WORK_EMPTY};
	if (node->is_disabled)
		return CUDA_SUCCESS;
	switch ((int)node->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		work->kind = SIM_WORK_KERNEL;
		work->outcome = sim_launch_outcome(&node->kernel.params);
		break;
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		work->kind = SIM_WORK_COPY;
		return sim_copy_resolve(&node->copy, &work->copy);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		work->kind = SIM_WORK_FILL;
		return sim_fill_resolve(&node->fill, &work->fill);
	case CU_GRAPH_NODE_TYPE_HOST:
		work->kind = SIM_WORK_HOST;
		work->host = (struct sim_host){.fn = node->host.fn, .data = node->host.userData};
		break;
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		if (!sim_handle_is(node->event, SIM_KIND_EVENT))
			return CUDA_ERROR_INVALID_HANDLE;
		if (node->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
			*work = sim_event_record_work(node->event);
		break;
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: /* the ops come one by one, see make_memops() */
		return sim_memop_check(node->memops.params, node->memops.count, false);
	}
	return CUDA_SUCCESS;
}

static CUresult make_ops(struct launch *launch, CUgraph graph, struct sim_op *start,
			 struct sim_op **end);

/* Orders a node's op behind the ops of its dependencies, or behind the start. */
static bool order_node(CUgraphNode node, struct sim_op *op, struct sim_op *start,
		       struct sim_op **ops)
{
	size_t i;

	for (i = 0; i < node->before_count; i++)
		if (!sim_op_after(op, ops[node->before[i]->index]))
			return false;
	return node->before_count || sim_op_after(op, start);
}

static CUresult new_op(struct launch *launch, const struct sim_work *work, struct sim_op **op)
{
	*op = sim_op_new(launch->stream->context, work);
	if (!*op) {
		struct sim_work dropped = *work;

		sim_work_release(&dropped);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	(*op)->priority = launch->stream->priority;
	(*op)->stream_id = launch->exec->id;
	(*op)->index = launch->index++;
	return CUDA_SUCCESS;
}

/* A batch of memory operations is a chain of ops behind `start` (W-3). */
static CUresult make_memops(struct launch *launch, CUgraphNode node, struct sim_op *start,
			    struct sim_op **end)
{
	struct sim_work work = {.kind = SIM_WORK_MEMOP};
	CUresult result = CUDA_SUCCESS;
	struct sim_op *op, *last = start;
	unsigned int i;

	sim_op_get(last);
	for (i = 0; i < node->memops.count && result == CUDA_SUCCESS; i++) {
		result = sim_memop_resolve(&node->memops.params[i], &work.memop);
		if (result == CUDA_SUCCESS)
			result = new_op(launch, &work, &op);
		if (result != CUDA_SUCCESS)
			break;
		if (!sim_op_after(op, last)) {
			sim_op_abandon(op);
			result = CUDA_ERROR_OUT_OF_MEMORY;
			break;
		}
		sim_schedule_submit(op);
		sim_op_put(last);
		last = op;
	}
	*end = last;
	if (result != CUDA_SUCCESS)
		sim_op_put(last);
	return result;
}

/* What a node's own op only starts: the ops of an inner graph, or of a batch. */
static CUresult make_inner(struct launch *launch, CUgraphNode node, struct sim_op *op,
			   struct sim_op **end)
{
	CUgraph inner = sim_node_chosen(node);

	if (node->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
		return make_memops(launch, node, op, end);
	if (inner)
		return make_ops(launch, inner, op, end);
	sim_op_get(op);
	*end = op;
	return CUDA_SUCCESS;
}

static bool has_inner(CUgraphNode node)
{
	return node->type == CU_GRAPH_NODE_TYPE_GRAPH ||
	       node->type == CU_GRAPH_NODE_TYPE_CONDITIONAL ||
	       node->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
}

/* Makes the op of one node; where there is more inside, the last op of that is the result. */
static CUresult make_op(struct launch *launch, CUgraphNode node, struct sim_op *start,
			struct sim_op **ops, struct sim_op **result_op)
{
	struct sim_op *op, *end;
	struct sim_work work;
	CUresult result = node_work(node, &work);

	if (result == CUDA_SUCCESS)
		result = new_op(launch, &work, &op);
	if (result != CUDA_SUCCESS)
		return result;
	if (!order_node(node, op, start, ops) ||
	    (node->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT && !sim_event_follow(op, node->event)))
		result = CUDA_ERROR_OUT_OF_MEMORY;
	if (result != CUDA_SUCCESS) {
		sim_op_abandon(op);
		return result;
	}
	if (node->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
		sim_event_set_record(node->event, op);
	*result_op = op;
	if (has_inner(node)) {
		result = make_inner(launch, node, op, &end);
		if (result == CUDA_SUCCESS)
			*result_op = end;
		sim_schedule_submit(op);
		sim_op_put(op);
		return result;
	}
	sim_schedule_submit(op);
	return CUDA_SUCCESS;
}

/* An op that follows everything in `ops`, which may be nothing but the start. */
static CUresult make_end(struct launch *launch, struct sim_op *start, struct sim_op **ops,
			 size_t count, struct sim_op **end)
{
	struct sim_work nothing = {.kind = SIM_WORK_EMPTY};
	CUresult result = new_op(launch, &nothing, end);
	bool done;
	size_t i;

	if (result != CUDA_SUCCESS)
		return result;
	done = sim_op_after(*end, start);
	for (i = 0; done && i < count; i++)
		done = sim_op_after(*end, ops[i]);
	if (done) {
		sim_schedule_submit(*end);
		return CUDA_SUCCESS;
	}
	sim_op_abandon(*end);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

/* The ops of a sorted graph, between `start` and a new *end that the caller puts. */
static CUresult make_ops(struct launch *launch, CUgraph graph, struct sim_op *start,
			 struct sim_op **end)
{
	struct sim_op **ops = calloc(graph->count + 1, sizeof(struct sim_op *));
	CUresult result = ops ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	size_t i, made = 0;

	for (i = 0; i < graph->count; i++)
		graph->nodes[i]->index = i;
	while (result == CUDA_SUCCESS && made < graph->count) {
		result = make_op(launch, graph->nodes[made], start, ops, &ops[made]);
		made += result == CUDA_SUCCESS;
	}
	if (result == CUDA_SUCCESS)
		result = make_end(launch, start, ops, made, end);
	for (i = 0; i < made; i++)
		sim_op_put(ops[i]);
	free(ops);
	return result;
}

/* The start: in stream order, and behind the previous launch of this exec in any stream (G-6). */
static struct sim_op *make_start(CUstream stream, CUgraphExec exec)
{
	struct sim_work nothing = {.kind = SIM_WORK_EMPTY};
	struct sim_op *op = sim_stream_prepare(stream, &nothing);

	if (op && !sim_op_after(op, exec->last)) {
		sim_op_abandon(op);
		return NULL;
	}
	return op;
}

/* Can every node be resolved? Checked first, so that a failing launch enqueues nothing. */
static CUresult check_launch(CUgraph graph)
{
	CUresult result = CUDA_SUCCESS;
	struct sim_work work;
	CUgraph inner;
	size_t i;

	for (i = 0; i < graph->count && result == CUDA_SUCCESS; i++) {
		result = node_work(graph->nodes[i], &work);
		if (result == CUDA_SUCCESS)
			sim_work_release(&work);
		inner = sim_node_chosen(graph->nodes[i]);
		if (result == CUDA_SUCCESS && inner)
			result = check_launch(inner);
	}
	return result;
}

static CUresult enqueue(CUgraphExec exec, CUstream stream)
{
	struct launch launch = {.stream = stream, .exec = exec};
	struct sim_op *end;
	CUresult result;

	launch.start = make_start(stream, exec);
	if (!launch.start)
		return CUDA_ERROR_OUT_OF_MEMORY;
	sim_op_get(launch.start);
	sim_stream_commit(stream, launch.start);
	result = make_ops(&launch, exec->graph, launch.start, &end);
	sim_op_put(launch.start);
	if (result != CUDA_SUCCESS)
		return result;
	sim_op_set(&exec->last, end);
	result = sim_stream_join(stream, end);
	sim_op_put(end);
	return result;
}

/* G-13: what the graph allocates is there from now on, what it frees is gone afterwards. */
static CUresult launch(CUgraphExec exec, CUstream stream)
{
	bool auto_free = exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
	CUresult result = sim_graph_memory_begin_launch(exec->graph, auto_free);

	if (result != CUDA_SUCCESS)
		return result;
	result = check_launch(exec->graph);
	if (result == CUDA_SUCCESS)
		result = enqueue(exec, stream);
	if (result == CUDA_SUCCESS)
		sim_graph_memory_end_launch(exec->graph);
	else
		sim_graph_memory_undo_launch(exec->graph);
	return result;
}

CUresult sim_cuGraphLaunch(CUgraphExec hGraph, CUstream hStream)
{
	CUstream stream;
	CUresult result = sim_stream_get_for_work(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!sim_handle_is(hGraph, SIM_KIND_EXEC))
		return CUDA_ERROR_INVALID_VALUE;
	if (stream->capture)
		return sim_graph_capture_child(stream, hGraph->graph);
	return launch(hGraph, stream);
}

/* An op behind the stream's work and the exec's last launch that runs nothing (G-7). */
CUresult sim_cuGraphUpload(CUgraphExec hGraph, CUstream hStream)
{
	CUstream stream;
	CUresult result = sim_stream_get_for_work(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!sim_handle_is(hGraph, SIM_KIND_EXEC))
		return CUDA_ERROR_INVALID_VALUE;
	if (stream->capture)
		return sim_capture_break(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	result = sim_stream_join(stream, hGraph->last);
	if (result == CUDA_SUCCESS)
		sim_op_set(&hGraph->last, stream->tail);
	return result;
}

/* Launches in flight hold their own copies of everything (G-11). */
CUresult sim_cuGraphExecDestroy(CUgraphExec hGraphExec)
{
	if (!sim_handle_is(hGraphExec, SIM_KIND_EXEC))
		return CUDA_ERROR_INVALID_VALUE;
	sim_handle_remove(hGraphExec);
	sim_op_put(hGraphExec->last);
	sim_graph_memory_mark_instance(hGraphExec->graph, false);
	sim_graph_free(hGraphExec->graph);
	free(hGraphExec);
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags)
{
	if (!sim_handle_is(hGraphExec, SIM_KIND_EXEC) || !flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = hGraphExec->flags;
	return CUDA_SUCCESS;
}
