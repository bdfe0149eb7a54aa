/* Host functions: trampolines and their cells. */
#include "interposer/call/callback.h"

#include <errno.h>
#include <pthread.h>
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/core/slab.h"
#include "interposer/sync/sync.h"
#include "interposer/libc/signals.h"
#include "interposer/guard/guard.h"
#include "interposer/core/thread.h"
#include "interposer/core/real.h"
#include "interposer/call/row_functions.h"

/* ---- cells ---- */

void sc_callback_drop(struct sc_cell *cell)
{
	if (!cell->is_kept)
		sc_slab_put(SC_SLAB_CELL, cell);
}

static struct sc_cell *make_cell(struct sc_call *call, bool is_kept)
{
	struct sc_cell *cell = sc_slab_get(SC_SLAB_CELL, sizeof(*cell));

	if (!cell)
		return NULL;
	*cell = (struct sc_cell){.stream = call->op.stream,
				 .context = call->op.context,
				 .sequence = SC_NOT_WRITTEN,
				 .is_kept = is_kept || (call->op.flags & SC_FLAG_CAPTURED)};
	call->cell = cell;
	if (!cell->is_kept)
		atomic_fetch_add_explicit(&sc_session.callbacks, 1, memory_order_relaxed);
	sc_modules_host_function();
	sc_sync_want();
	return cell;
}

/* ---- running ---- */

/* What the thread was doing before the host function began. */
struct outer {
	uint32_t callback, depth;
	const void *outermost;
	sigset_t mask;
};

/* The driver's threads may block all signals; a page guard's fault would then be fatal. */
static void unblock_faults(sigset_t *old)
{
	sigset_t faults;

	sigemptyset(&faults);
	sc_signals_take(&faults);
	SC_REAL(pthread_sigmask)(SIG_UNBLOCK, &faults, old);
}

static void mark(enum sc_op_kind kind, const struct sc_cell *cell)
{
	struct sc_op op = sc_put_new(kind);

	op.stream = cell->stream;
	op.context = cell->context;
	op.link = cell->sequence + 1;
	if (sc_session_is_live())
		sc_put_op(&op, NULL, 0);
}

static struct outer begin(const struct sc_cell *cell)
{
	struct outer outer = {.callback = sc_self.callback,
			      .depth = sc_self.depth,
			      .outermost = sc_self.outermost};
	int saved = errno;

	sc_assert(cell->function || cell->callback);
	unblock_faults(&outer.mask);
	sc_self.depth = 0;
	sc_self.callback =
		1 + atomic_fetch_add_explicit(&sc_session.callback_ids, 1, memory_order_relaxed);
	mark(SC_OP_CALLBACK_BEGIN, cell);
	errno = saved;
	return outer;
}

static void end(const struct sc_cell *cell, struct outer outer)
{
	int saved = errno;

	sc_assert(sc_self.callback && !sc_self.busy);
	mark(SC_OP_CALLBACK_END, cell);
	if (!cell->is_kept)
		atomic_fetch_sub_explicit(&sc_session.callbacks, 1, memory_order_relaxed);
	sc_guard_callback_ended(cell->stream, cell->context, cell->sequence);
	SC_REAL(pthread_sigmask)(SIG_SETMASK, &outer.mask, NULL);
	sc_self.callback = outer.callback;
	sc_self.depth = outer.depth;
	sc_self.outermost = outer.outermost;
	errno = saved;
}

static void run_function(void *data)
{
	struct sc_cell cell = *(struct sc_cell *)data;
	struct outer outer = begin(&cell);

	sc_callback_drop(data);
	cell.function(cell.data);
	end(&cell, outer);
}

static void run_callback(CUstream stream, CUresult status, void *data)
{
	struct sc_cell cell = *(struct sc_cell *)data;
	struct outer outer = begin(&cell);

	sc_callback_drop(data);
	cell.callback(stream, status, cell.data);
	end(&cell, outer);
}

/* ---- replacing ---- */

/* Replaces a function and its argument by a trampoline and its cell. */
static void replace(struct sc_call *call, CUhostFn *function, void **data, bool is_kept)
{
	struct sc_cell *cell = *function ? make_cell(call, is_kept) : NULL;

	if (!cell)
		return;
	cell->function = *function;
	cell->data = *data;
	*function = run_function;
	*data = cell;
}

void sc_callback_launch(struct sc_call *call)
{
	cuLaunchHostFunc_params *p = call->params;

	replace(call, &p->fn, &p->userData, false);
}

void sc_callback_stream(struct sc_call *call)
{
	cuStreamAddCallback_params *p = call->params;
	struct sc_cell *cell = p->callback ? make_cell(call, false) : NULL;

	if (!cell)
		return;
	cell->callback = p->callback;
	cell->data = p->userData;
	p->callback = run_callback;
	p->userData = cell;
}

void sc_callback_user_object(struct sc_call *call)
{
	cuUserObjectCreate_params *p = call->params;

	replace(call, &p->destroy, &p->ptr, true);
}

static const CUDA_HOST_NODE_PARAMS *replace_node(struct sc_call *call,
						 const CUDA_HOST_NODE_PARAMS *node)
{
	if (!node)
		return node;
	call->replaced.host_node = *node;
	replace(call, &call->replaced.host_node.fn, &call->replaced.host_node.userData, true);
	return &call->replaced.host_node;
}

static CUgraphNodeParams *replace_any(struct sc_call *call, CUgraphNodeParams *node)
{
	if (!node || node->type != CU_GRAPH_NODE_TYPE_HOST)
		return node;
	call->replaced.any_node = *node;
	replace(call, &call->replaced.any_node.host.fn, &call->replaced.any_node.host.userData,
		true);
	return &call->replaced.any_node;
}

/* sc_callback_NAME(call): in the parameters of a call, the node's own. */
#define REPLACE(name, function, replace_it)                      \
	void sc_callback_##name(struct sc_call *call)            \
	{                                                        \
		function##_params *p = call->params;             \
                                                                 \
		p->nodeParams = replace_it(call, p->nodeParams); \
	}
REPLACE(node_add, cuGraphAddHostNode, replace_node)
REPLACE(node_set, cuGraphHostNodeSetParams, replace_node)
REPLACE(exec_set, cuGraphExecHostNodeSetParams, replace_node)
REPLACE(any_add, cuGraphAddNode, replace_any)
REPLACE(any_add_v2, cuGraphAddNode_v2, replace_any)
REPLACE(any_set, cuGraphNodeSetParams, replace_any)
REPLACE(any_exec, cuGraphExecNodeSetParams, replace_any)
#undef REPLACE

const struct sc_cell *sc_callback_cell(CUhostFn function, const void *data)
{
	return function == run_function ? data : NULL;
}

/* What the program gave the node, instead of a trampoline. */
static void restore(CUhostFn *function, void **data)
{
	const struct sc_cell *cell = sc_callback_cell(*function, *data);

	if (!cell)
		return;
	*function = cell->function;
	*data = cell->data;
}

/* AFTER functions of the getters. */
void sc_callback_node_get(struct sc_call *call)
{
	const cuGraphHostNodeGetParams_params *p = call->params;

	restore(&p->nodeParams->fn, &p->nodeParams->userData);
}

void sc_callback_show(CUgraphNodeParams *node)
{
	if (node->type == CU_GRAPH_NODE_TYPE_HOST)
		restore(&node->host.fn, &node->host.userData);
}

void sc_callback_any_get(struct sc_call *call)
{
	const cuGraphNodeGetParams_params *p = call->params;

	sc_callback_show(p->nodeParams);
}
