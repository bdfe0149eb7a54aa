/* Recapture into a graph: the program's function that is asked where what is captured differs from
 * a node of the graph (G-16).
 *
 * It runs inside of the call that captures, in its thread, and may make calls of CUDA: these are
 * the program's own, so they are recorded. The parameters that it gets name functions of the
 * program, never a trampoline; host nodes that differ in their trampoline only do not differ. What
 * stands for the function stays for good, once for each function with its data.
 */
#include "interposer/core/arena.h"
#include "interposer/core/module.h"
#include "interposer/core/table.h"
#include "interposer/core/thread.h"
#include "interposer/call/callback.h"
#include "interposer/call/row_functions.h"

struct asked {
	CUgraphRecaptureCallback function;
	void *data;
};

static struct sc_table all_asked; /* struct asked by a number of both */

static bool is_same_host(const CUgraphNodeParams *a, const CUgraphNodeParams *b)
{
	return a->type == CU_GRAPH_NODE_TYPE_HOST && b->type == CU_GRAPH_NODE_TYPE_HOST &&
	       a->host.fn == b->host.fn && a->host.userData == b->host.userData &&
	       a->host.syncMode == b->host.syncMode && a->host.ctx == b->host.ctx;
}

/* The thread is in no call of ours meanwhile. */
static CUresult call_program(const struct asked *a, CUgraphNode node,
			     const CUgraphNodeParams *before, const CUgraphNodeParams *after,
			     CUgraphRecaptureStatus status)
{
	const struct sc_call *unwritten = sc_self.unwritten;
	const void *outermost = sc_self.outermost;
	uint64_t current = sc_self.current;
	uint32_t depth = sc_self.depth;
	CUresult result;

	sc_self.depth = 0;
	sc_self.outermost = NULL;
	result = a->function(a->data, node, before, after, status);
	sc_self.depth = depth;
	sc_self.outermost = outermost;
	sc_self.current = current;
	sc_self.unwritten = unwritten;
	return result;
}

/* As the program gave it; only a host node may have a trampoline. */
static const CUgraphNodeParams *shown(CUgraphNodeParams *room, const CUgraphNodeParams *p)
{
	if (!p || p->type != CU_GRAPH_NODE_TYPE_HOST)
		return p;
	*room = *p;
	sc_callback_show(room);
	return room;
}

static CUresult ask(void *data, CUgraphNode node, const CUgraphNodeParams *before,
		    const CUgraphNodeParams *after, CUgraphRecaptureStatus status)
{
	CUgraphNodeParams rooms[2];

	before = shown(&rooms[0], before);
	after = shown(&rooms[1], after);
	if (status != CU_GRAPH_RECAPTURE_ERROR && before && after && is_same_host(before, after))
		return CUDA_SUCCESS;
	return call_program(data, node, before, after, status);
}

/* A second pair of the same number has a record that is not found again. */
static struct asked *keep(CUgraphRecaptureCallback function, void *data)
{
	uint64_t key = ((uint64_t)function * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)data) | 1;
	struct asked *a = sc_table_get(&all_asked, key);

	if (a && a->function == function && a->data == data)
		return a;
	a = sc_arena_get(sizeof(*a));
	if (!a)
		return NULL;
	*a = (struct asked){function, data};
	(void)sc_table_put(&all_asked, key, a);
	return a;
}

void sc_recapture_begin(struct sc_call *call)
{
	cuStreamBeginRecaptureToGraph_params *p = call->params;
	struct asked *a = p->callbackFunc ? keep(p->callbackFunc, p->userData) : NULL;

	if (!a)
		return;
	p->callbackFunc = ask;
	p->userData = a;
}

const struct sc_module sc_module_recapture = {SC_MODULE_STATE(all_asked)};
