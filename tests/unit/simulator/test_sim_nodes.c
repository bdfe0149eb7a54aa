/* Nodes of graphs that allocate, free and decide, and updates of execs, in the simulated driver. */
#include "tests/unit/simulator/sim_fixture.h"

#define BYTES 512

struct nodes {
	CUstream stream;
	CUstream other;
	CUcontext context;
	CUdeviceptr memory;
	unsigned char *host;
};

static int setup(void **state)
{
	static struct nodes n;

	if (sim_setup(NULL) || cuCtxGetCurrent(&n.context) ||
	    cuStreamCreate(&n.stream, CU_STREAM_NON_BLOCKING) ||
	    cuStreamCreate(&n.other, CU_STREAM_NON_BLOCKING) || cuMemAlloc(&n.memory, BYTES) ||
	    cuMemsetD8(n.memory, 0, BYTES) || cuMemAllocHost((void **)&n.host, BYTES) ||
	    cuCtxSynchronize())
		return -1;
	memset(n.host, 0, BYTES);
	*state = &n;
	return 0;
}

static int teardown(void **state)
{
	struct nodes *n = *state;

	if (cuCtxSynchronize() || cuStreamDestroy(n->stream) || cuStreamDestroy(n->other) ||
	    cuMemFree(n->memory) || cuMemFreeHost(n->host))
		return -1;
	return sim_teardown(NULL);
}

static void launch(struct nodes *n, CUgraphExec exec)
{
	OK(cuGraphLaunch(exec, n->stream));
	OK(cuStreamSynchronize(n->stream));
}

static uint64_t attribute(CUgraphMem_attribute which)
{
	uint64_t bytes;

	OK(cuDeviceGetGraphMemAttribute(0, which, &bytes));
	return bytes;
}

/* What graphs have now: what was freed stays theirs until then. */
static uint64_t graph_bytes(void)
{
	OK(cuDeviceGraphMemTrim(0));
	return attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT);
}

/* An allocation, a fill of it, a copy to the host, and a free if wanted. */
static CUgraph capture_life(struct nodes *n, bool frees, CUdeviceptr *address)
{
	CUgraph graph;

	OK(cuStreamBeginCapture(n->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuMemAllocAsync(address, BYTES, n->stream));
	OK(cuMemsetD8Async(*address, 5, BYTES, n->stream));
	OK(cuMemcpyDtoHAsync(n->host, *address, BYTES, n->stream));
	if (frees)
		OK(cuMemFreeAsync(*address, n->stream));
	OK(cuStreamEndCapture(n->stream, &graph));
	return graph;
}

EACH_TEST(setup, teardown)

/* G-13: the address is fixed, the memory lives from node to node, at every launch anew. */
TEST(life_inside_a_graph)
{
	struct nodes *n = *state;
	CUdeviceptr address, found;
	CUgraphNode nodes[4];
	CUgraphExec exec, second;
	size_t count = 4;
	CUgraph graph = capture_life(n, true, &address), clone;
	int i;

	OK(cuGraphGetNodes(graph, nodes, &count));
	assert_int_equal(count, 4);
	OK(cuGraphMemFreeNodeGetParams(nodes[3], &found));
	assert_true(found == address);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(address, 1, 1)); /* not before a launch */
	FAILS(CUDA_ERROR_NOT_SUPPORTED, cuGraphClone(&clone, graph));
	FAILS(CUDA_ERROR_NOT_SUPPORTED, cuGraphDestroyNode(nodes[3]));
	OK(cuGraphInstantiate(&exec, graph, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&second, graph, 0));
	for (i = 0; i < 3; i++) {
		n->host[BYTES - 1] = 0;
		launch(n, exec);
		assert_int_equal(n->host[BYTES - 1], 5);
		FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(address));
	}
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	assert_true(graph_bytes() == 0);
}

TEST(free_outside)
{
	struct nodes *n = *state;
	CUdeviceptr address;
	CUgraphExec exec;
	CUgraph graph = capture_life(n, false, &address);

	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphDestroy(graph));
	OK(cuGraphLaunch(exec, n->stream));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(exec, n->stream)); /* not freed */
	OK(cuMemsetD8Async(address, 6, 1, n->stream));
	OK(cuMemcpyDtoHAsync(n->host + 1, address, 1, n->stream));
	OK(cuMemFreeAsync(address, n->stream));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(address, n->stream));
	OK(cuGraphLaunch(exec, n->stream));
	OK(cuStreamSynchronize(n->stream));
	assert_int_equal(n->host[0], 5);
	assert_int_equal(n->host[1], 5); /* the second launch overwrote the 6 */
	OK(cuGraphExecDestroy(exec));	 /* frees nothing */
	assert_true(graph_bytes() == BYTES);
	OK(cuMemFree(address));
	assert_true(graph_bytes() == 0);
}

TEST(free_in_another_graph)
{
	struct nodes *n = *state;
	CUgraphExec allocates, frees;
	CUdeviceptr address;
	CUgraphNode node;
	CUgraph graph = capture_life(n, false, &address), other;

	OK(cuGraphCreate(&other, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&node, other, NULL, 0, n->memory));
	OK(cuGraphAddMemFreeNode(&node, other, NULL, 0, address));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&node, other, NULL, 0, address));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&node, graph, NULL, 0, address));
	OK(cuGraphInstantiate(&allocates, graph, 0));
	OK(cuGraphInstantiate(&frees, other, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(frees, n->stream));
	OK(cuGraphLaunch(allocates, n->stream));
	OK(cuGraphLaunch(frees, n->stream));
	OK(cuGraphLaunch(allocates, n->stream));
	OK(cuGraphLaunch(frees, n->stream));
	OK(cuStreamSynchronize(n->stream));
	OK(cuGraphExecDestroy(allocates));
	OK(cuGraphExecDestroy(frees));
	OK(cuGraphDestroy(graph));
	OK(cuGraphDestroy(other));
	assert_true(graph_bytes() == 0);
}

/* Freed memory is kept until a trim, for a later graph too; the high marks stay. */
TEST(freed_memory_is_kept)
{
	struct nodes *n = *state;
	CUgraphMem_attribute used = CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT,
			     reserved = CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT;
	CUdeviceptr address;
	CUgraphExec exec;
	CUgraph graph;
	uint64_t zero = 0;

	for (int i = 0; i < 2; i++) {
		graph = capture_life(n, false, &address);
		OK(cuGraphInstantiate(&exec, graph, 0));
		OK(cuGraphDestroy(graph));
		launch(n, exec);
		OK(cuGraphExecDestroy(exec));
		OK(cuMemFreeAsync(address, n->stream));
		OK(cuStreamSynchronize(n->stream));
		assert_true(attribute(used) == BYTES);
		assert_true(attribute(reserved) == BYTES);
	}
	OK(cuDeviceGraphMemTrim(0));
	assert_true(!attribute(used) && !attribute(reserved));
	assert_true(attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH) >= BYTES);
	OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &zero));
	assert_true(!attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH));
	assert_true(attribute(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) >= BYTES);
}

/* Managed memory lives from node to node, too; there is none of the host (probe 26). */
TEST(allocations_that_the_host_sees)
{
	struct nodes *n = *state;
	CUDA_MEMSET_NODE_PARAMS fill = {0, 0, 6, 1, BYTES, 1};
	CUDA_MEM_ALLOC_NODE_PARAMS
	alloc = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			       .location = {.type = CU_MEM_LOCATION_TYPE_HOST}},
		 .bytesize = BYTES},
	got;
	CUgraphNode nodes[2];
	CUgraphExec exec;
	CUgraph graph;

	OK(cuGraphCreate(&graph, 0));
	FAILS(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &alloc));
	alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED;
	alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	OK(cuGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &alloc));
	OK(cuGraphMemAllocNodeGetParams(nodes[0], &got));
	assert_int_equal(got.poolProps.allocType, CU_MEM_ALLOCATION_TYPE_MANAGED);
	fill.dst = alloc.dptr;
	OK(cuGraphAddMemsetNode(&nodes[1], graph, &nodes[0], 1, &fill, n->context));
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphDestroy(graph));
	for (int i = 0; i < 2; i++) {
		launch(n, exec);
		assert_int_equal(((unsigned char *)alloc.dptr)[BYTES - 1], 6);
		OK(cuMemFreeAsync(alloc.dptr, n->stream));
		FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(alloc.dptr, n->stream));
	}
	OK(cuStreamSynchronize(n->stream));
	OK(cuGraphExecDestroy(exec));
	assert_true(graph_bytes() == 0);
}

/* A graph inside may fill what the one around it allocates. */
TEST(fill_of_the_outer_graphs_memory)
{
	struct nodes *n = *state;
	CUDA_MEMSET_NODE_PARAMS fill = {0, 0, 7, 1, BYTES, 1};
	CUDA_MEM_ALLOC_NODE_PARAMS alloc = {
		.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}},
		.bytesize = BYTES};
	CUgraph graph, inner;
	CUgraphNode nodes[2];
	CUgraphExec exec;
	unsigned char found = 0;

	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphCreate(&inner, 0));
	OK(cuGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &alloc));
	fill.dst = alloc.dptr;
	OK(cuGraphAddMemsetNode(&nodes[1], inner, NULL, 0, &fill, n->context));
	OK(cuGraphAddChildGraphNode(&nodes[1], graph, &nodes[0], 1, inner));
	OK(cuGraphDestroy(inner));
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphDestroy(graph));
	launch(n, exec);
	OK(cuMemcpyDtoH(&found, alloc.dptr + BYTES - 1, 1));
	assert_int_equal(found, 7);
	OK(cuMemFree(alloc.dptr));
	OK(cuGraphExecDestroy(exec));
}

TEST(auto_free)
{
	struct nodes *n = *state;
	CUdeviceptr address;
	CUgraphExec exec;
	CUgraph graph = capture_life(n, false, &address);

	OK(cuGraphInstantiate(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
	launch(n, exec);
	launch(n, exec);
	assert_int_equal(n->host[0], 5);
	assert_true(graph_bytes() == BYTES);
	OK(cuMemFreeAsync(address, n->stream));
	OK(cuStreamSynchronize(n->stream));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

TEST(allocation_by_hand)
{
	struct nodes *n = *state;
	CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC};
	CUDA_MEMSET_NODE_PARAMS fill = {0, 0, 3, 1, BYTES, 1};
	CUDA_MEM_ALLOC_NODE_PARAMS got;
	CUgraphNode nodes[3];
	CUgraphExec exec;
	CUgraph graph;

	params.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	params.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	params.alloc.bytesize = BYTES;
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddNode(&nodes[0], graph, NULL, NULL, 0, &params));
	OK(cuGraphMemAllocNodeGetParams(nodes[0], &got));
	assert_true(got.dptr && got.dptr == params.alloc.dptr);
	fill.dst = got.dptr;
	OK(cuGraphAddMemsetNode(&nodes[1], graph, &nodes[0], 1, &fill, n->context));
	OK(cuGraphAddMemFreeNode(&nodes[2], graph, &nodes[1], 1, got.dptr));
	OK(cuGraphInstantiate(&exec, graph, 0));
	launch(n, exec);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

/* No bytes are no error in a graph either: the address may be freed there, and used by nothing. */
TEST(allocation_of_no_bytes)
{
	struct nodes *n = *state;
	CUDA_MEM_ALLOC_NODE_PARAMS params = {
		.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}}};
	CUgraphNode nodes[2];
	CUdeviceptr captured;
	CUgraphExec exec;
	CUgraph graph;

	OK(cuStreamBeginCapture(n->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuMemAllocAsync(&captured, 0, n->stream));
	OK(cuMemFreeAsync(captured, n->stream));
	OK(cuStreamEndCapture(n->stream, &graph));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &params));
	params.bytesize = 16;
	OK(cuGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &params));
	OK(cuGraphAddMemFreeNode(&nodes[1], graph, &nodes[0], 1, params.dptr));
	OK(cuGraphInstantiate(&exec, graph, 0));
	launch(n, exec);
	launch(n, exec);
	assert_true(graph_bytes() == 0);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

/* Only memory of graphs may be freed in a capture, which goes on (seen on an H200). */
TEST(captured_free_of_other_memory)
{
	struct nodes *n = *state;
	CUgraph graph;

	OK(cuStreamBeginCapture(n->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(n->memory, n->stream));
	OK(cuStreamEndCapture(n->stream, &graph));
	OK(cuGraphDestroy(graph));
}

/* As an H100's driver answers: a copy of what the capture freed; a copy before that is none. */
TEST(captured_copy_of_freed_memory)
{
	struct nodes *n = *state;
	CUdeviceptr memory;
	CUgraph graph;

	OK(cuStreamBeginCapture(n->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuMemAllocAsync(&memory, 64, n->stream));
	OK(cuMemcpyDtoDAsync(n->memory, memory, 16, n->stream));
	OK(cuMemFreeAsync(memory, n->stream));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoDAsync(n->memory, memory + 8, 16, n->stream));
	cuStreamEndCapture(n->stream, &graph);
	if (graph)
		OK(cuGraphDestroy(graph));
}

/* Section 4.6: of boxes one node a copy, unordered; later work follows all of them. */
TEST(captured_boxes)
{
	struct nodes *n = *state;
	CUDA_MEMCPY3D_BATCH_OP boxes[2] = {{.extent = {4, 1, 1}}, {.extent = {4, 1, 1}}};
	size_t nodes, edges, i;
	CUgraphExec exec;
	CUgraph graph;

	for (i = 0; i < 2; i++) {
		boxes[i].src.type = boxes[i].dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
		boxes[i].src.op.ptr.ptr = (CUdeviceptr)(n->host + 8 * i);
		boxes[i].dst.op.ptr.ptr = n->memory + 8 * i;
		boxes[i].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
	}
	memset(n->host, 7, 16);
	OK(cuStreamBeginCapture(n->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuMemsetD8Async(n->memory, 1, 16, n->stream));
	OK(cuMemcpy3DBatchAsync(2, boxes, 0, n->stream));
	OK(cuMemcpyDtoHAsync(n->host + 32, n->memory, 16, n->stream));
	OK(cuStreamEndCapture(n->stream, &graph));
	OK(cuGraphGetNodes(graph, NULL, &nodes));
	OK(cuGraphGetEdges(graph, NULL, NULL, NULL, &edges));
	assert_int_equal(nodes, 4);
	assert_int_equal(edges, 4);
	OK(cuGraphInstantiate(&exec, graph, 0));
	launch(n, exec);
	assert_int_equal(n->host[32], 7);
	assert_int_equal(n->host[36], 1);
	assert_int_equal(n->host[40], 7);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

/* Body i of the condition writes i + 1 to the byte; 0 stays if no body ran. */
static unsigned int decide(struct nodes *n, CUgraphConditionalNodeType type, unsigned int size,
			   unsigned int value)
{
	CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
	CUDA_MEMSET_NODE_PARAMS fill = {n->memory, 0, 0, 1, 1, 1};
	CUgraphNode node, inner;
	CUgraphExec exec;
	unsigned int i;
	CUgraph graph;

	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddMemsetNode(&inner, graph, NULL, 0, &fill, n->context));
	OK(cuGraphConditionalHandleCreate(&params.conditional.handle, graph, n->context, value,
					  CU_GRAPH_COND_ASSIGN_DEFAULT));
	params.conditional.type = type;
	params.conditional.size = size;
	params.conditional.ctx = n->context;
	OK(cuGraphAddNode(&node, graph, &inner, NULL, 1, &params));
	for (i = 0; i < size; i++) {
		fill.value = i + 1;
		OK(cuGraphAddMemsetNode(&inner, params.conditional.phGraph_out[i], NULL, 0, &fill,
					n->context));
	}
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphDestroy(graph));
	OK(cuGraphLaunch(exec, n->stream));
	OK(cuMemcpyDtoHAsync(n->host, n->memory, 1, n->stream));
	OK(cuStreamSynchronize(n->stream));
	OK(cuGraphExecDestroy(exec));
	return n->host[0];
}

TEST(conditions)
{
	struct nodes *n = *state;

	assert_int_equal(decide(n, CU_GRAPH_COND_TYPE_IF, 1, 1), 1);
	assert_int_equal(decide(n, CU_GRAPH_COND_TYPE_IF, 1, 0), 0);
	assert_int_equal(decide(n, CU_GRAPH_COND_TYPE_IF, 2, 0), 2);
	assert_int_equal(decide(n, CU_GRAPH_COND_TYPE_WHILE, 1, 0), 0);
	assert_int_equal(decide(n, CU_GRAPH_COND_TYPE_SWITCH, 3, 2), 3);
	assert_int_equal(decide(n, CU_GRAPH_COND_TYPE_SWITCH, 3, 3), 0);
}

static void nothing(void *data)
{
	(void)data;
}

TEST(condition_errors)
{
	struct nodes *n = *state;
	CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
	CUDA_HOST_NODE_PARAMS host = {nothing, NULL};
	CUgraphNode node;
	CUgraphExec exec;
	CUgraph graph, clone;

	OK(cuGraphCreate(&graph, 0));
	params.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
	params.conditional.size = 1;
	params.conditional.handle = (CUgraphConditionalHandle)(uintptr_t)graph;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode(&node, graph, NULL, NULL, 0, &params));
	OK(cuGraphConditionalHandleCreate(&params.conditional.handle, graph, n->context, 0, 0));
	params.conditional.size = 2;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode(&node, graph, NULL, NULL, 0, &params));
	params.conditional.size = 1;
	OK(cuGraphAddNode(&node, graph, NULL, NULL, 0, &params));
	FAILS(CUDA_ERROR_NOT_SUPPORTED, cuGraphClone(&clone, graph));
	OK(cuGraphAddHostNode(&node, params.conditional.phGraph_out[0], NULL, 0, &host));
	FAILS(CUDA_ERROR_NOT_SUPPORTED, cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphDestroy(graph));
}

TEST(disabled_node)
{
	struct nodes *n = *state;
	CUDA_MEMSET_NODE_PARAMS fill = {n->memory, 0, 4, 1, 1, 1};
	CUDA_HOST_NODE_PARAMS host = {nothing, NULL};
	CUgraphNode nodes[2];
	unsigned int enabled;
	CUgraphExec exec;
	CUgraph graph;

	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &fill, n->context));
	OK(cuGraphAddHostNode(&nodes[1], graph, &nodes[0], 1, &host));
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphNodeSetEnabled(exec, nodes[0], 0));
	OK(cuGraphNodeGetEnabled(exec, nodes[0], &enabled));
	assert_int_equal(enabled, 0);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphNodeSetEnabled(exec, nodes[1], 0));
	launch(n, exec);
	OK(cuMemcpyDtoH(n->host, n->memory, 1));
	assert_int_equal(n->host[0], 0);
	OK(cuGraphNodeSetEnabled(exec, nodes[0], 1));
	launch(n, exec);
	OK(cuMemcpyDtoH(n->host, n->memory, 1));
	assert_int_equal(n->host[0], 4);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

static CUgraph two_fills(struct nodes *n, unsigned char value, bool ordered, CUgraphNode nodes[2])
{
	CUDA_MEMSET_NODE_PARAMS fill = {n->memory, 0, value, 1, 1, 1};
	CUgraph graph;

	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &fill, n->context));
	fill.dst++;
	OK(cuGraphAddMemsetNode(&nodes[1], graph, nodes, ordered, &fill, n->context));
	return graph;
}

/* G-10: a graph of the same shape replaces what the nodes do; another is refused and explained. */
TEST(update)
{
	struct nodes *n = *state;
	CUgraphNode nodes[2], changed[2];
	CUgraph graph = two_fills(n, 1, true, nodes), same = two_fills(n, 2, true, changed);
	CUgraphExecUpdateResultInfo info;
	CUgraph other;
	CUgraphExec exec;

	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphExecUpdate(exec, same, &info));
	assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
	launch(n, exec);
	OK(cuMemcpyDtoH(n->host, n->memory, 2));
	assert_int_equal(n->host[1], 2);
	other = two_fills(n, 3, false, changed);
	FAILS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(exec, other, &info));
	assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
	assert_ptr_equal(info.errorNode, changed[1]);
	assert_ptr_equal(info.errorFromNode, changed[0]);
	OK(cuGraphDestroy(other));
	OK(cuGraphCreate(&other, 0));
	OK(cuGraphAddEmptyNode(&changed[0], other, NULL, 0));
	OK(cuGraphAddEmptyNode(&changed[1], other, changed, 1));
	FAILS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(exec, other, &info));
	assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
	assert_ptr_equal(info.errorNode, changed[0]);
	OK(cuGraphDestroy(other));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	OK(cuGraphDestroy(same));
}
