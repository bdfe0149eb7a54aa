/* Capture and graphs of the simulated driver. */
#include "tests/unit/simulator/sim_fixture.h"

#include <pthread.h>

#define BYTES 256
#define MOST  32

struct graphs {
	CUstream stream;
	CUstream other;
	CUevent fork;
	CUevent join;
	CUdeviceptr memory;
	unsigned char *host;
};

static int setup(void **state)
{
	static struct graphs graphs;

	if (sim_setup(NULL) || cuStreamCreate(&graphs.stream, CU_STREAM_NON_BLOCKING) ||
	    cuStreamCreate(&graphs.other, CU_STREAM_NON_BLOCKING) ||
	    cuEventCreate(&graphs.fork, CU_EVENT_DISABLE_TIMING) ||
	    cuEventCreate(&graphs.join, CU_EVENT_DISABLE_TIMING) ||
	    cuMemAlloc(&graphs.memory, BYTES) || cuMemAllocHost((void **)&graphs.host, BYTES))
		return -1;
	memset(graphs.host, 0, BYTES);
	*state = &graphs;
	return 0;
}

static int teardown(void **state)
{
	struct graphs *g = *state;

	if (cuCtxSynchronize() || cuStreamDestroy(g->stream) || cuStreamDestroy(g->other) ||
	    cuEventDestroy(g->fork) || cuEventDestroy(g->join) || cuMemFree(g->memory) ||
	    cuMemFreeHost(g->host))
		return -1;
	return sim_teardown(NULL);
}

static void begin(struct graphs *g)
{
	OK(cuStreamBeginCapture(g->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
}

static size_t count_nodes(CUgraph graph)
{
	size_t count;

	OK(cuGraphGetNodes(graph, NULL, &count));
	return count;
}

static size_t count_edges(CUgraph graph)
{
	size_t count;

	OK(cuGraphGetEdges(graph, NULL, NULL, NULL, &count));
	return count;
}

EACH_TEST(setup, teardown)

/* Captured work runs at each launch and never before. */
TEST(capture_then_launch)
{
	struct graphs *g = *state;
	CUgraphExec exec;
	CUgraph graph;
	int i;

	begin(g);
	OK(cuMemsetD8Async(g->memory, 7, BYTES, g->stream));
	OK(cuMemcpyDtoHAsync(g->host, g->memory, BYTES, g->stream));
	OK(cuStreamEndCapture(g->stream, &graph));
	assert_int_equal(count_nodes(graph), 2);
	assert_int_equal(count_edges(graph), 1);
	OK(cuStreamSynchronize(g->stream));
	assert_int_equal(g->host[0], 0);
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphDestroy(graph)); /* G-11 */
	for (i = 0; i < 3; i++) {
		g->host[0] = 0;
		OK(cuGraphLaunch(exec, g->stream));
		OK(cuStreamSynchronize(g->stream));
		assert_int_equal(g->host[0], 7);
	}
	OK(cuGraphLaunch(exec, g->stream));
	OK(cuGraphExecDestroy(exec)); /* in flight */
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(exec, g->stream));
}

static void add_one(void *data)
{
	unsigned char *byte = data;

	*byte += 1;
}

static void times_two(void *data)
{
	unsigned char *byte = data;

	*byte *= 2;
}

/* G-3: a fork through an event, joined again: four nodes in a diamond. */
TEST(fork_and_join)
{
	struct graphs *g = *state;
	CUstreamCaptureStatus status;
	CUgraphExec exec;
	CUgraph graph;

	begin(g);
	OK(cuMemsetD8Async(g->memory, 1, BYTES, g->stream));
	OK(cuEventRecord(g->fork, g->stream));
	OK(cuStreamWaitEvent(g->other, g->fork, 0));
	OK(cuStreamIsCapturing(g->other, &status));
	assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	OK(cuMemsetD8Async(g->memory, 2, 1, g->stream));
	OK(cuMemsetD8Async(g->memory + 1, 3, 1, g->other));
	OK(cuEventRecord(g->join, g->other));
	OK(cuStreamWaitEvent(g->stream, g->join, 0));
	OK(cuMemcpyDtoHAsync(g->host, g->memory, BYTES, g->stream));
	OK(cuStreamEndCapture(g->stream, &graph));
	OK(cuStreamIsCapturing(g->other, &status));
	assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
	assert_int_equal(count_nodes(graph), 4);
	assert_int_equal(count_edges(graph), 4);
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphLaunch(exec, g->stream));
	OK(cuStreamSynchronize(g->stream));
	assert_int_equal(g->host[0], 2);
	assert_int_equal(g->host[1], 3);
	assert_int_equal(g->host[2], 1);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

/* Dependencies order nodes, whatever the order of their creation. */
TEST(built_by_hand)
{
	struct graphs *g = *state;
	CUDA_HOST_NODE_PARAMS add = {add_one, g->host}, twice = {times_two, g->host}, got;
	CUgraphNode nodes[3], found[MOST];
	CUgraphNodeType type;
	CUgraphExec exec;
	CUgraph graph, clone;
	size_t count = MOST;

	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddHostNode(&nodes[2], graph, NULL, 0, &twice));
	OK(cuGraphAddEmptyNode(&nodes[1], graph, NULL, 0));
	OK(cuGraphAddHostNode(&nodes[0], graph, NULL, 0, &add));
	OK(cuGraphAddDependencies(graph, &nodes[0], &nodes[1], NULL, 1));
	OK(cuGraphAddDependencies(graph, &nodes[1], &nodes[2], NULL, 1));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuGraphAddDependencies(graph, &nodes[1], &nodes[2], NULL, 1));
	OK(cuGraphGetRootNodes(graph, found, &count));
	assert_int_equal(count, 1);
	assert_ptr_equal(found[0], nodes[0]);
	count = MOST;
	OK(cuGraphNodeGetDependentNodes(nodes[0], found, NULL, &count));
	assert_int_equal(count, 1);
	assert_ptr_equal(found[0], nodes[1]);
	OK(cuGraphNodeGetType(nodes[1], &type));
	assert_int_equal(type, CU_GRAPH_NODE_TYPE_EMPTY);
	OK(cuGraphHostNodeGetParams(nodes[2], &got));
	assert_ptr_equal(got.fn, times_two);
	OK(cuGraphClone(&clone, graph));
	OK(cuGraphNodeFindInClone(&found[0], nodes[2], clone));
	OK(cuGraphDestroy(graph));
	OK(cuGraphInstantiate(&exec, clone, 0));
	g->host[0] = 1;
	OK(cuGraphLaunch(exec, g->stream));
	OK(cuGraphLaunch(exec, g->other)); /* G-6: after the first launch */
	OK(cuStreamSynchronize(g->other));
	assert_int_equal(g->host[0], 10);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(clone));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(clone));
}

/* A capture into a graph of the program's own need not hand it out again. */
TEST(capture_into_own_graph)
{
	struct graphs *g = *state;
	CUgraph graph;

	OK(cuGraphCreate(&graph, 0));
	OK(cuStreamBeginCaptureToGraph(g->stream, graph, NULL, NULL, 0,
				       CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuMemsetD8Async(g->memory, 3, BYTES, g->stream));
	OK(cuStreamEndCapture(g->stream, NULL));
	assert_int_equal(count_nodes(graph), 1);
	OK(cuGraphDestroy(graph));
}

TEST(cycle_is_refused)
{
	CUgraphNode nodes[2];
	CUgraphExec exec;
	CUgraph graph;

	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddEmptyNode(&nodes[0], graph, NULL, 0));
	OK(cuGraphAddEmptyNode(&nodes[1], graph, &nodes[0], 1));
	OK(cuGraphAddDependencies(graph, &nodes[1], &nodes[0], NULL, 1));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphDestroyNode(nodes[0]));
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

TEST(child_graph)
{
	struct graphs *g = *state;
	CUDA_HOST_NODE_PARAMS add = {add_one, g->host}, twice = {times_two, g->host};
	CUgraphNode first, child, last;
	CUgraph inner, outer;
	CUgraphExec exec;

	OK(cuGraphCreate(&inner, 0));
	OK(cuGraphAddHostNode(&first, inner, NULL, 0, &twice));
	OK(cuGraphCreate(&outer, 0));
	OK(cuGraphAddHostNode(&first, outer, NULL, 0, &add));
	OK(cuGraphAddChildGraphNode(&child, outer, &first, 1, inner));
	OK(cuGraphAddHostNode(&last, outer, &child, 1, &add));
	OK(cuGraphDestroy(inner));
	OK(cuGraphInstantiate(&exec, outer, 0));
	g->host[0] = 2;
	OK(cuGraphLaunch(exec, g->stream));
	OK(cuStreamSynchronize(g->stream));
	assert_int_equal(g->host[0], 7);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(outer));
}

/* G-6, G-9: a launch is an op of its stream; an event node is recorded by it. */
TEST(launch_is_ordered)
{
	struct graphs *g = *state;
	CUDA_MEMSET_NODE_PARAMS fill = {g->memory, 0, 9, 1, BYTES, 1};
	CUgraphNode nodes[2];
	struct gate gate;
	CUcontext context;
	CUgraphExec exec;
	CUgraph graph;

	OK(cuCtxGetCurrent(&context));
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &fill, context));
	OK(cuGraphAddEventRecordNode(&nodes[1], graph, &nodes[0], 1, g->join));
	OK(cuGraphInstantiate(&exec, graph, 0));
	gate_close(&gate, g->stream);
	OK(cuGraphLaunch(exec, g->stream));
	OK(cuStreamWaitEvent(g->other, g->join, 0));
	OK(cuMemcpyDtoHAsync(g->host, g->memory, BYTES, g->other));
	FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(g->other));
	FAILS(CUDA_ERROR_NOT_READY, cuEventQuery(g->join));
	gate_open(&gate);
	OK(cuStreamSynchronize(g->other));
	assert_int_equal(g->host[0], 9);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

static void end_broken(struct graphs *g)
{
	CUgraph graph = (CUgraph)g;

	FAILS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuMemsetD8Async(g->memory, 1, 1, g->stream));
	FAILS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(g->stream, &graph));
	assert_null(graph);
	OK(cuStreamSynchronize(g->stream));
}

/* The table of G-4, one code after the other. */
TEST(900_unsupported)
{
	struct graphs *g = *state;
	CUdeviceptr memory;

	begin(g);
	FAILS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(g->stream));
	end_broken(g);
	begin(g);
	FAILS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuCtxSynchronize());
	end_broken(g);
	begin(g);
	FAILS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemAlloc(&memory, 1));
	end_broken(g);
	FAILS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
	      cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL));
}

TEST(relaxed_capture_allows_unsafe_calls)
{
	struct graphs *g = *state;
	CUdeviceptr memory;
	CUgraph graph;

	OK(cuStreamBeginCapture(g->stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuMemAlloc(&memory, 1));
	OK(cuStreamEndCapture(g->stream, &graph));
	OK(cuMemFree(memory));
	OK(cuGraphDestroy(graph));
}

TEST(902_merge)
{
	struct graphs *g = *state;
	CUgraph graph;

	begin(g);
	OK(cuMemsetD8Async(g->memory, 1, 1, g->stream));
	OK(cuEventRecord(g->fork, g->stream));
	OK(cuStreamBeginCapture(g->other, CU_STREAM_CAPTURE_MODE_GLOBAL));
	FAILS(CUDA_ERROR_STREAM_CAPTURE_MERGE, cuStreamWaitEvent(g->other, g->fork, 0));
	FAILS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(g->other, &graph));
	OK(cuStreamEndCapture(g->stream, &graph));
	OK(cuGraphDestroy(graph));
}

static void fork_to_other(struct graphs *g)
{
	begin(g);
	OK(cuMemsetD8Async(g->memory, 1, 1, g->stream));
	OK(cuEventRecord(g->fork, g->stream));
	OK(cuStreamWaitEvent(g->other, g->fork, 0));
	OK(cuMemsetD8Async(g->memory, 1, 1, g->other));
}

TEST(903_unmatched)
{
	struct graphs *g = *state;
	CUgraph graph;

	fork_to_other(g);
	FAILS(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(g->other, &graph));
	end_broken(g);
}

TEST(904_unjoined)
{
	struct graphs *g = *state;
	CUstreamCaptureStatus status;
	CUgraph graph;

	fork_to_other(g);
	FAILS(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cuStreamEndCapture(g->stream, &graph));
	assert_null(graph);
	OK(cuStreamIsCapturing(g->other, &status));
	assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST(905_isolation)
{
	struct graphs *g = *state;

	OK(cuEventRecord(g->fork, g->other));
	begin(g);
	FAILS(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cuStreamWaitEvent(g->stream, g->fork, 0));
	end_broken(g);
}

TEST(906_implicit)
{
	struct graphs *g = *state;
	CUstreamCaptureStatus status;
	CUstream blocking;
	CUgraph graph;

	OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
	OK(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_GLOBAL));
	FAILS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamIsCapturing(NULL, &status));
	OK(cuStreamIsCapturing(blocking, &status));
	assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	FAILS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuMemsetD8Async(g->memory, 1, 1, NULL));
	FAILS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(blocking, &graph));
	OK(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_GLOBAL));
	FAILS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuMemcpyDtoH(g->host, g->memory, 1));
	FAILS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(blocking, &graph));
	OK(cuStreamDestroy(blocking));
	/* A capturing non-blocking stream does not have this effect. */
	begin(g);
	OK(cuMemsetD8Async(g->memory, 1, 1, NULL));
	OK(cuMemcpyDtoH(g->host, g->memory, 1));
	OK(cuStreamEndCapture(g->stream, &graph));
	OK(cuGraphDestroy(graph));
}

TEST(907_captured_event)
{
	struct graphs *g = *state;

	begin(g);
	OK(cuEventRecord(g->fork, g->stream));
	FAILS(CUDA_ERROR_CAPTURED_EVENT, cuEventSynchronize(g->fork));
	end_broken(g);
	OK(cuEventRecord(g->fork, g->stream));
	OK(cuEventSynchronize(g->fork));
}

static void *end_elsewhere(void *data)
{
	CUgraph graph;

	FAILS(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, cuStreamEndCapture(data, &graph));
	return NULL;
}

TEST(908_wrong_thread)
{
	struct graphs *g = *state;
	pthread_t thread;
	CUgraph graph;

	begin(g);
	assert_int_equal(pthread_create(&thread, NULL, end_elsewhere, g->stream), 0);
	pthread_join(thread, NULL);
	OK(cuStreamEndCapture(g->stream, &graph));
	OK(cuGraphDestroy(graph));
}
