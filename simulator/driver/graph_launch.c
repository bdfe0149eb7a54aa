/* Launching graphs: an op for each node, in the order of the edges (rules G-6, G-8, G-9). */
#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/event.h"
#include "simulator/driver/execute.h"
#include "simulator/driver/graph.h"
#include "simulator/driver/graph_capture.h"
#include "simulator/driver/graph_memory.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/launch.h"
#include "simulator/driver/memop.h"
#include "simulator/driver/pair.h"
#include "simulator/driver/schedule.h"
#include "simulator/driver/stream.h"

/* A launch under construction: the op that starts it, and the ops made so far. */
struct launch {
	CUstream stream;
	CUgraphExec exec;
	struct sim_op *start; /* borrowed */
	uint64_t index;
};

/* What a node became: the op that starts it, and one after all of it. */
struct node_ops {
	struct sim_op *first; /* counted */
	struct sim_op *last;  /* counted */
};

/* The work of one node, resolved now: parameters are those of this launch (G-10). */
static CUresult node_work(CUgraphNode node, struct sim_work *work)
{
	*work = (struct sim_work){.kind = SIM_WORK_EMPTY};
	if (node->is_disabled)
		return CUDA_SUCCESS;
	switch ((int)node->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		work->kind = SIM_WORK_KERNEL;
		return sim_launch_work(&node->kernel.params, node->kernel.attrs,
				       node->kernel.attr_count, node->context, &work->kernel);
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
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: /* the ops come one by one, see make_chain() */
		return sim_memop_check(node->memops.params, node->memops.count, false);
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT: return sim_semaphores_check(&node->semaphores);
	}
	return CUDA_SUCCESS;
}

static CUresult make_ops(struct launch *launch, CUgraph graph, struct sim_op *start,
			 struct sim_op **end);

/*
 * With a programmatic edge a kernel need only follow the start of the kernel before it (G-8). As
 * the two may run side by side, it follows what that kernel follows. Schedules that defer use it.
 */
static bool follow_start(struct sim_op *op, const struct sim_op *kernel)
{
	size_t i;

	for (i = 0; i < kernel->before_count; i++)
		if (!sim_op_after(op, kernel->before[i]))
			return false;
	return true;
}

/* Orders a node's op after what its dependencies became, or after the start. */
static bool order_node(CUgraphNode node, struct sim_op *op, struct sim_op *start,
		       const struct node_ops *made, bool *is_early)
{
	const struct sim_edges *before = &node->before;
	const struct node_ops *ops;
	bool is_weak, done = true;
	bool waits = op->work.kind == SIM_WORK_KERNEL && sim_run_waits(op->work.kernel.run);
	size_t i;

	for (i = 0; i < before->count && done; i++) {
		ops = &made[before->nodes[i]->index];
		is_weak = !sim_edge_is_plain(&before->data[i]) && !waits &&
			  (sim_schedule_may_defer(op->stream_id ^ (op->index << 20)) ||
			   sim_pair_begins_early(op->stream_id, op->number));
		done = is_weak ? follow_start(op, ops->first) : sim_op_after(op, ops->last);
		*is_early |= is_weak;
	}
	return done && (before->count || sim_op_after(op, start));
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
	if (work->kind != SIM_WORK_EMPTY)
		(*op)->number = ++launch->exec->work_count;
	return CUDA_SUCCESS;
}

static bool is_semaphores(CUgraphNode node)
{
	return node->type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL ||
	       node->type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
}

static CUresult link_work(CUgraphNode node, unsigned int index, struct sim_work *work)
{
	*work = (struct sim_work){.kind = SIM_WORK_MEMOP};
	if (!is_semaphores(node))
		return sim_memop_resolve(&node->memops.params[index], &work->memop);
	*work = sim_semaphore_work(node->semaphores.list[index],
				   node->type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
				   node->semaphores.values[index]);
	return CUDA_SUCCESS;
}

/* A batch of memory operations, or of semaphores, is a chain of ops after `start` (W-3). */
static CUresult make_chain(struct launch *launch, CUgraphNode node, struct sim_op *start,
			   struct sim_op **end)
{
	unsigned int count = is_semaphores(node) ? node->semaphores.count : node->memops.count;
	struct sim_work work;
	CUresult result = CUDA_SUCCESS;
	struct sim_op *op, *last = start;
	unsigned int i;

	sim_op_get(last);
	for (i = 0; i < count && result == CUDA_SUCCESS; i++) {
		result = link_work(node, i, &work);
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

	if (node->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP || is_semaphores(node))
		return make_chain(launch, node, op, end);
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
	       node->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP || is_semaphores(node);
}

/* An op that does nothing, and is not submitted yet. */
static CUresult new_join(struct launch *launch, struct sim_op **op)
{
	struct sim_work nothing = {.kind = SIM_WORK_EMPTY};

	return new_op(launch, &nothing, op);
}

static CUresult submit_join(struct sim_op *op, bool is_ordered)
{
	if (is_ordered)
		sim_schedule_submit(op);
	else
		sim_op_abandon(op);
	return is_ordered ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/*
 * A kernel that started early may be complete before those that it did not wait for; what comes
 * after it comes after them as well.
 */
static CUresult end_early(struct launch *launch, CUgraphNode node, const struct node_ops *made,
			  struct node_ops *ops)
{
	struct sim_op *end;
	CUresult result = new_join(launch, &end);
	bool done;
	size_t i;

	if (result != CUDA_SUCCESS) {
		sim_op_put(ops->last);
		return result;
	}
	done = sim_op_after(end, ops->last);
	for (i = 0; done && i < node->before.count; i++)
		done = sim_op_after(end, made[node->before.nodes[i]->index].last);
	sim_op_put(ops->last);
	ops->last = end;
	return submit_join(end, done);
}

/* An op of a node that is ordered after its dependencies, not submitted yet. */
static CUresult new_node_op(struct launch *launch, CUgraphNode node, struct sim_op *start,
			    const struct node_ops *made, struct sim_op **op, bool *is_early)
{
	struct sim_work work;
	CUresult result = node_work(node, &work);

	if (result == CUDA_SUCCESS)
		result = new_op(launch, &work, op);
	if (result != CUDA_SUCCESS)
		return result;
	(*op)->place = node->graph == launch->exec->graph ? node->place : 0;
	if (order_node(node, *op, start, made, is_early) &&
	    (node->type != CU_GRAPH_NODE_TYPE_WAIT_EVENT || sim_event_follow(*op, node->event)))
		return CUDA_SUCCESS;
	sim_op_abandon(*op);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

/* Makes what a node becomes: one op mostly; those inside of it if it holds more. */
static CUresult make_op(struct launch *launch, CUgraphNode node, struct sim_op *start,
			const struct node_ops *made, struct node_ops *ops)
{
	bool is_early = false;
	struct sim_op *op;
	CUresult result = new_node_op(launch, node, start, made, &op, &is_early);

	if (result != CUDA_SUCCESS)
		return result;
	if (node->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
		sim_event_set_record(node->event, op);
	ops->first = op;
	if (has_inner(node)) {
		result = make_inner(launch, node, op, &ops->last);
	} else {
		sim_op_get(op);
		ops->last = op;
	}
	sim_schedule_submit(op);
	if (result == CUDA_SUCCESS && is_early)
		result = end_early(launch, node, made, ops);
	if (result != CUDA_SUCCESS)
		sim_op_put(op);
	return result;
}

/* An op that follows everything that was made, which may be nothing but the start. */
static CUresult make_end(struct launch *launch, struct sim_op *start, const struct node_ops *made,
			 size_t count, struct sim_op **end)
{
	CUresult result = new_join(launch, end);
	bool done;
	size_t i;

	if (result != CUDA_SUCCESS)
		return result;
	done = sim_op_after(*end, start);
	for (i = 0; done && i < count; i++)
		done = sim_op_after(*end, made[i].last);
	return submit_join(*end, done);
}

/* The ops of a sorted graph, between `start` and a new *end that the caller puts. */
static CUresult make_ops(struct launch *launch, CUgraph graph, struct sim_op *start,
			 struct sim_op **end)
{
	struct node_ops *made = calloc(graph->count + 1, sizeof(*made));
	CUresult result = CUDA_SUCCESS;
	size_t i, count = 0;

	if (!made)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (i = 0; i < graph->count; i++)
		graph->nodes[i]->index = i;
	while (result == CUDA_SUCCESS && count < graph->count) {
		result = make_op(launch, graph->nodes[count], start, made, &made[count]);
		count += result == CUDA_SUCCESS;
	}
	if (result == CUDA_SUCCESS)
		result = make_end(launch, start, made, count, end);
	for (i = 0; i < count; i++) {
		sim_op_put(made[i].first);
		sim_op_put(made[i].last);
	}
	free(made);
	return result;
}

/* The start: in stream order, and after the previous launch of this exec in any stream (G-6). */
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
