/* Launching graphs: plans become ops. */
#include "simulator/driver/graph/graph_launch.h"

#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/decision.h"
#include "simulator/driver/stream/event.h"
#include "simulator/driver/kernel/execute.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/graph/graph_capture.h"
#include "simulator/driver/graph/graph_memory.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/stream/memop.h"
#include "simulator/driver/graph/node_bytes.h"
#include "simulator/driver/schedule/pair.h"
#include "simulator/driver/graph/plan.h"
#include "simulator/driver/schedule/schedule.h"
#include "simulator/driver/stream/stream.h"
#include "simulator/driver/context/thread.h"
#include "simulator/driver/tool/tool.h"

void sim_graph_launch_get(struct sim_graph_launch *launch)
{
	launch->refs++;
}

void sim_graph_launch_put(struct sim_graph_launch *launch)
{
	if (--launch->refs)
		return;
	sim_launch_bytes_put(launch->bytes);
	free(launch);
}

/* What a node became: the op that starts it, and one after all of it. */
struct node_ops {
	struct sim_op *first; /* counted */
	struct sim_op *last;  /* counted */
};

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
static bool order_node(const struct sim_plan_node *node, struct sim_op *op, struct sim_op *start,
		       const struct node_ops *made, bool *is_early)
{
	const struct node_ops *ops;
	bool is_weak, done = true;
	bool waits = op->work.kind == SIM_WORK_KERNEL && sim_run_waits(op->work.kernel.run);
	size_t i;

	for (i = 0; i < node->before_count && done; i++) {
		ops = &made[node->before[i].from];
		is_weak = !sim_edge_is_plain(&node->before[i].data) && !waits &&
			  (sim_schedule_may_defer(op->stream_id ^ (op->index << 20)) ||
			   sim_pair_begins_early(op->stream_id, op->number));
		done = is_weak ? follow_start(op, ops->first) : sim_op_after(op, ops->last);
		*is_early |= is_weak;
	}
	return done && (node->before_count || sim_op_after(op, start));
}

/* Takes the work over. */
static CUresult new_op(struct sim_graph_launch *launch, struct sim_work *work, struct sim_op **op)
{
	*op = sim_op_new(launch->context, work);
	if (!*op) {
		sim_work_release(work);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	(*op)->priority = launch->priority;
	(*op)->stream_id = launch->exec_id;
	(*op)->index = launch->index++;
	(*op)->since_ns = launch->since_ns;
	(*op)->since_processor_ns = launch->since_processor_ns;
	(*op)->correlation = launch->correlation;
	(*op)->is_endless = launch->is_endless;
	if (work->kind != SIM_WORK_EMPTY && launch->exec)
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
static CUresult make_chain(struct sim_graph_launch *launch, CUgraphNode node, struct sim_op *start,
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

/* What a node's own op only starts: the ops of a child graph, or of a batch. */
static CUresult make_inner(struct sim_graph_launch *launch, const struct sim_plan_node *node,
			   struct sim_op *op, struct sim_op **end)
{
	if (node->type == CU_GRAPH_NODE_TYPE_GRAPH)
		return sim_graph_launch_enqueue(launch, node->inner[0], op, end);
	return make_chain(launch, node->node, op, end);
}

static bool has_inner(const struct sim_plan_node *node)
{
	return node->type == CU_GRAPH_NODE_TYPE_GRAPH ||
	       node->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP ||
	       node->type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL ||
	       node->type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
}

/* An op that does nothing, and is not submitted yet. */
static CUresult new_join(struct sim_graph_launch *launch, struct sim_op **op)
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
static CUresult end_early(struct sim_graph_launch *launch, const struct sim_plan_node *node,
			  const struct node_ops *made, struct node_ops *ops)
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
	for (i = 0; done && i < node->before_count; i++)
		done = sim_op_after(end, made[node->before[i].from].last);
	sim_op_put(ops->last);
	ops->last = end;
	return submit_join(end, done);
}

/* A tool wants to know which bytes the work touches. */
static void watch(struct sim_graph_launch *launch, const struct sim_plan *plan,
		  const struct sim_plan_node *node, const struct sim_work *work)
{
	if (work->kind == SIM_WORK_DECISION)
		sim_launch_bytes_begin(launch->bytes);
	if (work->kind != SIM_WORK_KERNEL || !launch->bytes)
		return;
	if (work->kernel.run)
		sim_run_set_node(work->kernel.run, launch->bytes, node->number, plan->is_body);
	else
		sim_launch_bytes_leave_out(launch->bytes, node->number);
}

/* What a node of a plan does in this launch, or in this round of a body. */
static CUresult take_work(struct sim_graph_launch *launch, struct sim_plan *plan,
			  struct sim_plan_node *node, struct sim_work *work)
{
	if (node->handle) {
		*work = (struct sim_work){.kind = SIM_WORK_DECISION};
		work->decision = sim_decision_new(launch, plan, node);
		return work->decision ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (plan->is_body)
		return sim_work_repeat(&node->work, work) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	*work = node->work;
	node->work.kind = SIM_WORK_EMPTY;
	return CUDA_SUCCESS;
}

/* An op of a node that is ordered after its dependencies, not submitted yet. */
static CUresult new_node_op(struct sim_graph_launch *launch, struct sim_plan *plan, size_t index,
			    struct sim_op *start, const struct node_ops *made, struct sim_op **op,
			    bool *is_early)
{
	struct sim_plan_node *node = &plan->nodes[index];
	struct sim_work work;
	CUresult result = take_work(launch, plan, node, &work);

	if (result != CUDA_SUCCESS)
		return result;
	watch(launch, plan, node, &work);
	result = new_op(launch, &work, op);
	if (result != CUDA_SUCCESS)
		return result;
	if (launch->exec && node->node && node->node->graph == launch->exec->graph)
		(*op)->place = node->node->place;
	if (order_node(node, *op, start, made, is_early) &&
	    (node->type != CU_GRAPH_NODE_TYPE_WAIT_EVENT ||
	     sim_event_follow(*op, node->node->event)))
		return CUDA_SUCCESS;
	sim_op_abandon(*op);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

/* Makes what a node becomes: one op mostly; those inside of it if it holds more. */
static CUresult make_op(struct sim_graph_launch *launch, struct sim_plan *plan, size_t index,
			struct sim_op *start, struct node_ops *made)
{
	const struct sim_plan_node *node = &plan->nodes[index];
	struct node_ops *ops = &made[index];
	bool is_early = false;
	struct sim_op *op;
	CUresult result = new_node_op(launch, plan, index, start, made, &op, &is_early);

	if (result != CUDA_SUCCESS)
		return result;
	if (node->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
		sim_event_set_record(node->node->event, op);
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
static CUresult make_end(struct sim_graph_launch *launch, struct sim_op *start,
			 const struct node_ops *made, size_t count, struct sim_op **end)
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

CUresult sim_graph_launch_enqueue(struct sim_graph_launch *launch, struct sim_plan *plan,
				  struct sim_op *start, struct sim_op **end)
{
	struct node_ops *made = calloc(plan->count + 1, sizeof(*made));
	CUresult result = CUDA_SUCCESS;
	size_t i, count = 0;

	if (!made)
		return CUDA_ERROR_OUT_OF_MEMORY;
	while (result == CUDA_SUCCESS && count < plan->count) {
		result = make_op(launch, plan, count, start, made);
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

/* The conditions of the plan get their default values after `start`, which *ready is after. */
static CUresult make_defaults(struct sim_graph_launch *launch, struct sim_plan *plan,
			      struct sim_op *start, struct sim_op **ready)
{
	struct sim_work work = {.kind = SIM_WORK_DECISION};
	CUresult result;

	work.decision = sim_decision_new(launch, plan, NULL);
	if (!work.decision)
		return CUDA_ERROR_OUT_OF_MEMORY;
	result = new_op(launch, &work, ready);
	return result == CUDA_SUCCESS ? submit_join(*ready, sim_op_after(*ready, start)) : result;
}

static CUresult make_ops(struct sim_graph_launch *launch, struct sim_plan *plan,
			 struct sim_op *start, struct sim_op **end)
{
	struct sim_op *ready;
	CUresult result;

	if (!plan->has_conditions)
		return sim_graph_launch_enqueue(launch, plan, start, end);
	result = make_defaults(launch, plan, start, &ready);
	if (result != CUDA_SUCCESS)
		return result;
	result = sim_graph_launch_enqueue(launch, plan, ready, end);
	sim_op_put(ready);
	return result;
}

static struct sim_graph_launch *new_launch(CUgraphExec exec, CUstream stream)
{
	struct sim_graph_launch *launch = calloc(1, sizeof(*launch));

	if (!launch)
		return NULL;
	launch->refs = 1;
	launch->context = stream->context;
	launch->priority = stream->priority;
	launch->exec = exec;
	launch->exec_id = exec->id;
	launch->correlation = sim_thread_self()->correlation;
	launch->bytes = sim_launch_bytes_new(exec->bytes);
	return launch;
}

static CUresult enqueue(CUgraphExec exec, struct sim_plan *plan, CUstream stream)
{
	struct sim_graph_launch *launch = new_launch(exec, stream);
	struct sim_op *start = launch ? make_start(stream, exec) : NULL;
	struct sim_op *end;
	CUresult result;

	if (!launch)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!start) {
		sim_graph_launch_put(launch);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	sim_op_get(start);
	sim_stream_commit(stream, start);
	result = make_ops(launch, plan, start, &end);
	launch->exec = NULL;
	sim_op_put(start);
	sim_graph_launch_put(launch);
	if (result != CUDA_SUCCESS)
		return result;
	sim_op_set(&exec->last, end);
	result = sim_stream_join(stream, end);
	sim_op_put(end);
	return result;
}

/* Every node is resolved first, so that a failing launch enqueues nothing. */
static CUresult resolve_and_enqueue(CUgraphExec exec, CUstream stream)
{
	struct sim_plan *plan;
	CUresult result = sim_plan_new(exec->graph, false, &plan);

	if (result != CUDA_SUCCESS)
		return result;
	result = enqueue(exec, plan, stream);
	sim_plan_put(plan);
	return result;
}

/* G-13: what the graph allocates is there from now on, what it frees is gone afterwards. What it
 * left and frees itself is freed in the stream, after the launch that left it. */
static CUresult launch(CUgraphExec exec, CUstream stream)
{
	bool auto_free = exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
	CUresult result = auto_free ? sim_stream_join(stream, exec->last) : CUDA_SUCCESS;

	if (result == CUDA_SUCCESS)
		result =
			sim_graph_memory_begin_launch(exec->graph, auto_free ? stream->tail : NULL);
	if (result != CUDA_SUCCESS)
		return result;
	result = resolve_and_enqueue(exec, stream);
	if (result == CUDA_SUCCESS)
		sim_graph_memory_end_launch(exec->graph, exec->last);
	else
		sim_graph_memory_undo_launch(exec->graph);
	return result;
}

static CUresult find(CUgraphExec exec, CUstream handle, CUstream *stream)
{
	CUresult result = sim_stream_get_for_work(handle, stream);

	if (result == CUDA_SUCCESS && !sim_handle_is(exec, SIM_KIND_EXEC))
		return CUDA_ERROR_INVALID_VALUE;
	return result;
}

CUresult sim_cuGraphLaunch(CUgraphExec hGraph, CUstream hStream)
{
	CUstream stream;
	CUresult result = find(hGraph, hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (stream->capture)
		return sim_graph_capture_child(stream, hGraph->graph);
	if (!sim_tool())
		return launch(hGraph, stream);
	result = sim_tool()->graph(hGraph, stream, false);
	if (result == CUDA_SUCCESS)
		result = find(hGraph, hStream, &stream);
	if (result == CUDA_SUCCESS)
		result = launch(hGraph, stream);
	sim_tool_launched();
	return result;
}
