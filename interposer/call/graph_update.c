/* Graphs: new parameters of the nodes of executable graphs. */
#include <string.h>
#include "interposer/call/graph.h"
#include "interposer/object/handle.h"
#include "interposer/call/row_functions.h"

static struct sc_handle *exec_of(CUgraphExec raw)
{
	return sc_handle_find(SC_HANDLE_EXEC, raw);
}

/* All calls begin with the first two, most have the third. */
struct change {
	CUgraphExec exec;
	CUgraphNode node;
	const void *parameters;
};

/* A node of an executable graph. */
struct found {
	const struct sc_handle *exec;
	struct sc_reading *nodes; /* of it */
	uint32_t index;
};

/* Finds the node; false if it is not known, which is counted. */
static bool find(const struct sc_call *call, struct found *out)
{
	const struct change *p = call->params;

	if (call->result)
		return false;
	out->exec = exec_of(p->exec);
	out->nodes = out->exec ? sc_handle_nodes(out->exec) : NULL;
	out->index = out->nodes ? sc_graph_read_find(out->nodes, p->node) : UINT32_MAX;
	if (out->index == UINT32_MAX)
		sc_graph_count_unread(SC_UNREAD_NODE, 1);
	return out->index != UINT32_MAX;
}

static void update(struct sc_call *call, const CUgraphNodeParams *params)
{
	const struct sc_made made = sc_made_by(call);
	struct found node;

	if (find(call, &node))
		sc_graph_node_update(node.exec, node.index, &made, params);
}

void sc_graph_switched(struct sc_call *call)
{
	const cuGraphNodeSetEnabled_params *p = call->params;
	struct found node;

	if (!find(call, &node))
		return;
	sc_graph_node_switch(node.exec, node.index, p->isEnabled != 0);
	node.nodes->is_chain = false; /* a node that is off need not begin */
}

/* The parameters, of a type that begins the member of CUgraphNodeParams for such nodes. */
static void update_as(struct sc_call *call, CUgraphNodeType type, size_t bytes)
{
	const struct change *p = call->params;
	CUgraphNodeParams n = {.type = type};

	if (call->result || !p->parameters)
		return;
	memcpy(n.reserved1, p->parameters, bytes);
	update(call, &n);
}

void sc_graph_set_kernel_v1(struct sc_call *call)
{
	update_as(call, CU_GRAPH_NODE_TYPE_KERNEL, sizeof(CUDA_KERNEL_NODE_PARAMS_v1));
}

void sc_graph_set_kernel(struct sc_call *call)
{
	update_as(call, CU_GRAPH_NODE_TYPE_KERNEL, sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
}

void sc_graph_set_fill(struct sc_call *call)
{
	update_as(call, CU_GRAPH_NODE_TYPE_MEMSET, sizeof(CUDA_MEMSET_NODE_PARAMS_v1));
}

void sc_graph_set_host(struct sc_call *call)
{
	update_as(call, CU_GRAPH_NODE_TYPE_HOST, sizeof(CUDA_HOST_NODE_PARAMS_v1));
}

void sc_graph_set_memop(struct sc_call *call)
{
	update_as(call, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, sizeof(CUDA_BATCH_MEM_OP_NODE_PARAMS_v1));
}

void sc_graph_set_copy(struct sc_call *call)
{
	const cuGraphExecMemcpyNodeSetParams_params *p = call->params;
	CUgraphNodeParams n = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};

	if (call->result || !p->copyParams)
		return;
	n.memcpy.copyParams = *p->copyParams;
	update(call, &n);
}

void sc_graph_set_record(struct sc_call *call)
{
	const cuGraphExecEventRecordNodeSetEvent_params *p = call->params;

	update(call, &(CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
					  .eventRecord.event = p->event});
}

void sc_graph_set_wait(struct sc_call *call)
{
	const cuGraphExecEventWaitNodeSetEvent_params *p = call->params;

	update(call, &(CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
					  .eventWait.event = p->event});
}

/* The nodes of a child graph stand together, in the order in which the new graph has them. */
static void update_child(struct sc_call *call, CUgraph child)
{
	struct found node;
	struct sc_reading r;
	uint32_t at;

	if (!find(call, &node))
		return;
	for (at = 0; at < node.nodes->count; at++)
		if (sc_graph_entry(node.nodes, at)->parent == node.index + 1)
			break;
	if (!sc_graph_read(&r, child) || r.count > node.nodes->count - at || r.graphs != 1) {
		sc_graph_count_unread(SC_UNREAD_GRAPH, 1);
	} else {
		r.base = at;
		for (uint32_t i = 0; i < r.count; i++)
			sc_graph_node_write(node.exec, &r, i, SC_NODE_UPDATE);
		sc_graph_count_all_unread(&r);
	}
	sc_graph_read_fini(&r);
}

void sc_graph_set_child(struct sc_call *call)
{
	const cuGraphExecChildGraphNodeSetParams_params *p = call->params;

	update_child(call, p->childGraph);
}

void sc_graph_set_any(struct sc_call *call)
{
	const cuGraphExecNodeSetParams_params *p = call->params;

	if (call->result || !p->nodeParams)
		return;
	if (p->nodeParams->type == CU_GRAPH_NODE_TYPE_GRAPH)
		update_child(call, p->nodeParams->graph.graph);
	else
		update(call, p->nodeParams);
}
