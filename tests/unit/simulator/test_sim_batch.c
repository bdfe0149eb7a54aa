/* Batches of copies as nodes of graphs, and copies over a fabric, in the simulated driver. */
#include "tests/unit/simulator/sim_fixture.h"

#define BYTES  64
#define COPIES 2

/* Two copies of 4 bytes, from the host to places that are 8 bytes apart. */
struct batches {
	CUstream stream;
	CUcontext context;
	CUdeviceptr memory;
	unsigned char *host;
	CUdeviceptr dsts[COPIES], srcs[COPIES];
	size_t sizes[COPIES], first;
	CUmemcpyAttributes order;
	CUDA_FABRIC_COPY_BATCH_OP fabric[COPIES];
};

static int setup(void **state)
{
	static struct batches b;
	size_t i;

	if (sim_setup(NULL) || cuCtxGetCurrent(&b.context) ||
	    cuStreamCreate(&b.stream, CU_STREAM_NON_BLOCKING) || cuMemAlloc(&b.memory, BYTES) ||
	    cuMemsetD8(b.memory, 0, BYTES) || cuMemAllocHost((void **)&b.host, BYTES) ||
	    cuCtxSynchronize())
		return -1;
	memset(b.host, 7, BYTES);
	b.order = (CUmemcpyAttributes){.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
	memset(b.fabric, 0, sizeof(b.fabric));
	for (i = 0; i < COPIES; i++) {
		b.dsts[i] = b.memory + 8 * i;
		b.srcs[i] = (CUdeviceptr)(b.host + 8 * i);
		b.sizes[i] = b.fabric[i].size = 4;
		b.fabric[i].src.type = b.fabric[i].dst.type = CU_FABRIC_COPY_OPERAND_TYPE_POINTER;
		b.fabric[i].src.op.ptr.ptr = b.srcs[i];
		b.fabric[i].dst.op.ptr.ptr = b.dsts[i];
	}
	*state = &b;
	return 0;
}

static int teardown(void **state)
{
	struct batches *b = *state;

	if (cuCtxSynchronize() || cuStreamDestroy(b->stream) || cuMemFree(b->memory) ||
	    cuMemFreeHost(b->host))
		return -1;
	return sim_teardown(NULL);
}

static CUgraphNodeParams node_of_copies(struct batches *b)
{
	return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMCPY_BATCH,
				   .memcpyBatch = {.count = COPIES,
						   .dsts = b->dsts,
						   .srcs = b->srcs,
						   .sizes = b->sizes,
						   .attrs = &b->order,
						   .attrsIdxs = &b->first,
						   .numAttrs = 1}};
}

static CUgraphNodeParams node_of_fabric(struct batches *b)
{
	return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH,
				   .fabricCpyBatch = {.numOps = COPIES, .opList = b->fabric}};
}

/* A fill with ones, then the batch; the only node that is no fill. */
static CUgraph capture(struct batches *b, bool is_fabric, CUgraphNode *batch)
{
	CUgraphNode nodes[2];
	size_t count = 2;
	CUgraph graph;

	OK(cuStreamBeginCapture(b->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuMemsetD8Async(b->memory, 1, BYTES, b->stream));
	if (is_fabric)
		OK(cuFabricCpyBatchAsync(COPIES, b->fabric, 0, b->stream));
	else
		OK(cuMemcpyBatchAsync(b->dsts, b->srcs, b->sizes, COPIES, &b->order, &b->first, 1,
				      b->stream));
	OK(cuStreamEndCapture(b->stream, &graph));
	OK(cuGraphGetNodes(graph, nodes, &count));
	assert_int_equal(count, 2);
	*batch = nodes[1];
	return graph;
}

static void launch(struct batches *b, CUgraphExec exec, const char *expected)
{
	unsigned char back[16];
	size_t i;

	OK(cuGraphLaunch(exec, b->stream));
	OK(cuMemcpyDtoHAsync(back, b->memory, sizeof(back), b->stream));
	OK(cuStreamSynchronize(b->stream));
	for (i = 0; i < 4; i++)
		assert_int_equal(back[4 * i], expected[i] - '0');
}

EACH_TEST(setup, teardown)

/* Since 13.1 a captured batch is one node, which is read back as it was given. */
TEST(captured)
{
	struct batches *b = *state;
	CUgraphNodeParams params;
	CUgraphNodeType type;
	CUgraphExec exec;
	CUgraphNode node;
	CUgraph graph = capture(b, false, &node);

	OK(cuGraphNodeGetType(node, &type));
	assert_int_equal(type, CU_GRAPH_NODE_TYPE_MEMCPY_BATCH);
	OK(cuGraphNodeGetParams(node, &params));
	assert_int_equal(params.memcpyBatch.count, COPIES);
	assert_ptr_not_equal(params.memcpyBatch.dsts, b->dsts);
	assert_memory_equal(params.memcpyBatch.dsts, b->dsts, sizeof(b->dsts));
	assert_memory_equal(params.memcpyBatch.srcs, b->srcs, sizeof(b->srcs));
	assert_memory_equal(params.memcpyBatch.sizes, b->sizes, sizeof(b->sizes));
	assert_ptr_equal(params.memcpyBatch.ctx, b->context);
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphDestroy(graph));
	launch(b, exec, "7171");
	OK(cuGraphExecDestroy(exec));
}

/* Addresses and sizes change in an exec; a size of 0 disables a copy; nothing else may change. */
TEST(exec_parameters)
{
	struct batches *b = *state;
	CUgraphNodeParams params = node_of_copies(b);
	CUgraphExec exec;
	CUgraphNode node;
	CUgraph graph = capture(b, false, &node);

	OK(cuGraphInstantiate(&exec, graph, 0));
	b->dsts[0] = b->memory + 4;
	b->sizes[1] = 0;
	OK(cuGraphExecNodeSetParams(exec, node, &params));
	launch(b, exec, "1711");
	params.memcpyBatch.count = 1;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphExecNodeSetParams(exec, node, &params));
	params.memcpyBatch.count = COPIES;
	b->order.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphExecNodeSetParams(exec, node, &params));
	OK(cuGraphNodeSetEnabled(exec, node, 0));
	launch(b, exec, "1111");
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

/* The same by a whole graph (G-10). */
TEST(exec_update)
{
	struct batches *b = *state;
	CUgraphExecUpdateResultInfo info;
	CUgraphExec exec;
	CUgraphNode node;
	CUgraph graph = capture(b, false, &node), other;

	OK(cuGraphInstantiate(&exec, graph, 0));
	b->dsts[1] = b->memory + 12;
	other = capture(b, false, &node);
	OK(cuGraphExecUpdate(exec, other, &info));
	launch(b, exec, "7117");
	OK(cuGraphDestroy(other));
	b->order.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
	other = capture(b, false, &node);
	FAILS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(exec, other, &info));
	assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
	OK(cuGraphDestroy(other));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

/* Added by hand, changed before the instantiation, and copied with its graph. */
TEST(added)
{
	struct batches *b = *state;
	CUgraphNodeParams params = node_of_copies(b);
	CUgraph graph, clone;
	CUgraphNode node;
	CUgraphExec exec;

	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddNode(&node, graph, NULL, NULL, 0, &params));
	b->dsts[0] = b->memory + 4;
	OK(cuGraphNodeSetParams(node, &params));
	params.memcpyBatch.numAttrs = 0;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphNodeSetParams(node, &params));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode(&node, graph, NULL, NULL, 0, &params));
	OK(cuGraphClone(&clone, graph));
	OK(cuGraphDestroy(graph));
	OK(cuGraphInstantiate(&exec, clone, 0));
	launch(b, exec, "0770");
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(clone));
}

/* In the body of a condition; copies over a fabric may not be there. */
TEST(in_a_body)
{
	struct batches *b = *state;
	CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL},
			  inner = node_of_copies(b), fabric = node_of_fabric(b);
	CUgraph graph, body;
	CUgraphNode node;
	CUgraphExec exec;

	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphConditionalHandleCreate(&params.conditional.handle, graph, b->context, 1,
					  CU_GRAPH_COND_ASSIGN_DEFAULT));
	params.conditional.type = CU_GRAPH_COND_TYPE_IF;
	params.conditional.size = 1;
	params.conditional.ctx = b->context;
	OK(cuGraphAddNode(&node, graph, NULL, NULL, 0, &params));
	body = params.conditional.phGraph_out[0];
	OK(cuGraphAddNode(&node, body, NULL, NULL, 0, &inner));
	OK(cuGraphInstantiate(&exec, graph, 0));
	launch(b, exec, "7070");
	launch(b, exec, "7070");
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphAddNode(&node, body, NULL, NULL, 0, &fabric));
	FAILS(CUDA_ERROR_NOT_SUPPORTED, cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphDestroy(graph));
}

/* Between pointers, in any stream but the legacy one. */
TEST(fabric)
{
	struct batches *b = *state;
	unsigned char back[16];

	OK(cuFabricCpyBatchAsync(COPIES, b->fabric, 0, b->stream));
	OK(cuMemcpyDtoHAsync(back, b->memory, sizeof(back), b->stream));
	OK(cuStreamSynchronize(b->stream));
	assert_int_equal(back[0], 7);
	assert_int_equal(back[4], 0);
	assert_int_equal(back[8], 7);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuFabricCpyBatchAsync(COPIES, b->fabric, 0, NULL));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuFabricCpyBatchAsync(COPIES, b->fabric, 1, b->stream));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuFabricCpyBatchAsync(0, b->fabric, 0, b->stream));
	b->fabric[1].flags = 1;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuFabricCpyBatchAsync(COPIES, b->fabric, 0, b->stream));
	b->fabric[1].flags = 0;
	b->fabric[1].dst.type = CU_FABRIC_COPY_OPERAND_TYPE_LOGICAL_ENDPOINT;
	FAILS(CUDA_ERROR_NOT_SUPPORTED, cuFabricCpyBatchAsync(COPIES, b->fabric, 0, b->stream));
}

TEST(captured_fabric)
{
	struct batches *b = *state;
	CUgraphNodeParams params;
	CUgraphExec exec;
	CUgraphNode node;
	CUgraph graph = capture(b, true, &node);

	OK(cuGraphNodeGetParams(node, &params));
	assert_int_equal(params.type, CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH);
	assert_int_equal(params.fabricCpyBatch.numOps, COPIES);
	assert_int_equal(params.fabricCpyBatch.opList[1].dst.op.ptr.ptr, b->dsts[1]);
	OK(cuGraphInstantiate(&exec, graph, 0));
	launch(b, exec, "7171");
	params = node_of_fabric(b);
	b->fabric[0].dst.op.ptr.ptr = b->memory + 12;
	OK(cuGraphExecNodeSetParams(exec, node, &params));
	launch(b, exec, "1177");
	params.fabricCpyBatch.numOps = 1;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphExecNodeSetParams(exec, node, &params));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}
