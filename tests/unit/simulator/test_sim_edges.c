/* Edges with data in graphs of the simulated driver, and how captures make them. */
#include "tests/unit/simulator/sim_loaded.h"

#define MOST 8

static const CUgraphEdgeData PLAIN;
static const CUgraphEdgeData EARLY = {
	CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {0}};
static const CUgraphEdgeData BEGUN = {
	CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {0}};

struct edges {
	struct sim_loaded loaded;
	CUstream other;
	CUevent event;
	unsigned char *host;
	CUgraph graph;
};

static int setup(void **state)
{
	static struct edges edges;

	if (sim_loaded_begin(&edges.loaded) ||
	    cuStreamCreate(&edges.other, CU_STREAM_NON_BLOCKING) ||
	    cuEventCreate(&edges.event, CU_EVENT_DISABLE_TIMING) ||
	    cuMemAllocHost((void **)&edges.host, 1024) || cuGraphCreate(&edges.graph, 0))
		return -1;
	*state = &edges;
	return 0;
}

static int teardown(void **state)
{
	struct edges *e = *state;

	if (cuCtxSynchronize() || cuGraphDestroy(e->graph) || cuMemFreeHost(e->host) ||
	    cuEventDestroy(e->event) || cuStreamDestroy(e->other))
		return -1;
	return sim_loaded_end(&e->loaded) ? -1 : 0;
}

static CUgraphNode add_kernel(struct edges *e, const CUgraphNode *before,
			      const CUgraphEdgeData *data)
{
	float factor = 2;
	int count = 10;
	void *values[] = {&e->loaded.memory, &factor, &count};
	CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
	CUgraphNode node;

	params.kernel = (CUDA_KERNEL_NODE_PARAMS_v3){.func = (CUfunction)e->loaded.scale,
						     .gridDimX = 1,
						     .gridDimY = 1,
						     .gridDimZ = 1,
						     .blockDimX = 1,
						     .blockDimY = 1,
						     .blockDimZ = 1,
						     .kernelParams = values};
	OK(cuGraphAddNode(&node, e->graph, before, data, before ? 1 : 0, &params));
	return node;
}

static CUgraphNode add_fill(struct edges *e, const CUgraphNode *before)
{
	CUDA_MEMSET_NODE_PARAMS fill = {
		.dst = e->loaded.memory, .value = 7, .elementSize = 1, .width = 1024, .height = 1};
	CUcontext context;
	CUgraphNode node;

	OK(cuCtxGetCurrent(&context));
	OK(cuGraphAddMemsetNode(&node, e->graph, before, before ? 1 : 0, &fill, context));
	return node;
}

static void assert_edge(const CUgraphEdgeData *got, const CUgraphEdgeData *want)
{
	assert_memory_equal(got, want, sizeof(*got));
}

/* Checks the graph's only edge, and that it cannot be asked for without its data. */
static void assert_only_edge(CUgraph graph, const CUgraphEdgeData *want)
{
	CUgraphNode from[MOST], to[MOST];
	CUgraphEdgeData data[MOST];
	size_t count = 0;

	OK(cuGraphGetEdges(graph, NULL, NULL, NULL, &count));
	assert_int_equal(count, 1);
	OK(cuGraphGetEdges(graph, from, to, data, &count));
	assert_int_equal(count, 1);
	assert_edge(&data[0], want);
	FAILS(want->type ? CUDA_ERROR_LOSSY_QUERY : CUDA_SUCCESS,
	      cuGraphGetEdges(graph, from, to, NULL, &count));
}

EACH_TEST(setup, teardown)

TEST(edges_keep_their_data)
{
	struct edges *e = *state;
	CUgraphNode first = add_kernel(e, NULL, NULL), second = add_kernel(e, &first, &EARLY), got;
	CUgraphEdgeData data;
	CUgraph clone;
	size_t count = 1;

	assert_only_edge(e->graph, &EARLY);
	OK(cuGraphNodeGetDependencies(second, &got, &data, &count));
	assert_edge(&data, &EARLY);
	FAILS(CUDA_ERROR_LOSSY_QUERY, cuGraphNodeGetDependencies(second, &got, NULL, &count));
	OK(cuGraphNodeGetDependentNodes(first, &got, &data, &count));
	assert_edge(&data, &EARLY);
	FAILS(CUDA_ERROR_LOSSY_QUERY, cuGraphNodeGetDependentNodes(first, &got, NULL, &count));
	OK(cuGraphClone(&clone, e->graph));
	assert_only_edge(clone, &EARLY);
	OK(cuGraphDestroy(clone));
}

TEST(edges_are_removed_with_their_data)
{
	struct edges *e = *state;
	CUgraphNode first = add_kernel(e, NULL, NULL), second = add_kernel(e, &first, &EARLY);
	size_t count;

	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuGraphRemoveDependencies(e->graph, &first, &second, NULL, 1));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuGraphRemoveDependencies(e->graph, &first, &second, &BEGUN, 1));
	OK(cuGraphRemoveDependencies(e->graph, &first, &second, &EARLY, 1));
	OK(cuGraphGetEdges(e->graph, NULL, NULL, NULL, &count));
	assert_int_equal(count, 0);
	OK(cuGraphAddDependencies(e->graph, &first, &second, &BEGUN, 1));
	assert_only_edge(e->graph, &BEGUN);
}

TEST(what_edges_cannot_be)
{
	struct edges *e = *state;
	CUgraphEdgeData no_port = EARLY, no_type = EARLY, to_port = EARLY, reserved = EARLY;
	CUgraphNode fill = add_fill(e, NULL), kernel = add_kernel(e, NULL, NULL);
	CUgraphNode other = add_kernel(e, NULL, NULL);

	no_port.from_port = 0;
	no_type.type = 0;
	to_port.to_port = 1;
	reserved.reserved[4] = 1;
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuGraphAddDependencies(e->graph, &fill, &kernel, &EARLY, 1));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuGraphAddDependencies(e->graph, &kernel, &fill, &EARLY, 1));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuGraphAddDependencies(e->graph, &kernel, &other, &no_port, 1));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuGraphAddDependencies(e->graph, &kernel, &other, &no_type, 1));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuGraphAddDependencies(e->graph, &kernel, &other, &to_port, 1));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuGraphAddDependencies(e->graph, &kernel, &other, &reserved, 1));
	OK(cuGraphAddDependencies(e->graph, &kernel, &other, &EARLY, 1));
}

/* Topology of an exec never changes, and what edges wait for is part of it (G-10). */
TEST(update_compares_data)
{
	struct edges *e = *state;
	CUgraphNode first = add_kernel(e, NULL, NULL), second = add_kernel(e, &first, &EARLY);
	CUgraphExecUpdateResultInfo info;
	CUgraphExec exec;

	OK(cuGraphInstantiate(&exec, e->graph, 0));
	OK(cuGraphExecUpdate(exec, e->graph, &info));
	OK(cuGraphRemoveDependencies(e->graph, &first, &second, &EARLY, 1));
	OK(cuGraphAddDependencies(e->graph, &first, &second, &PLAIN, 1));
	FAILS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(exec, e->graph, &info));
	assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
	OK(cuGraphExecDestroy(exec));
}

/* Work after a kernel that started early also comes after the previous kernel (S-1). */
TEST(a_graph_with_early_kernels_runs)
{
	struct edges *e = *state;
	CUgraphNode first = add_kernel(e, NULL, NULL), second = add_kernel(e, &first, &EARLY);
	CUgraphNode third = add_kernel(e, &second, &BEGUN);
	CUgraphExec exec;
	int i;

	add_fill(e, &third);
	OK(cuGraphInstantiate(&exec, e->graph, 0));
	for (i = 0; i < 3; i++) {
		OK(cuMemsetD8Async(e->loaded.memory, 0, 1024, e->loaded.stream));
		OK(cuGraphLaunch(exec, e->loaded.stream));
		OK(cuMemcpyDtoHAsync(e->host, e->loaded.memory, 1024, e->loaded.stream));
		OK(cuStreamSynchronize(e->loaded.stream));
		assert_int_equal(e->host[1023], 7);
	}
	OK(cuGraphExecDestroy(exec));
}

static void launch(struct edges *e, CUstream stream, CUlaunchAttribute attribute)
{
	float factor = 2;
	int count = 10;
	void *values[] = {&e->loaded.memory, &factor, &count};
	CUlaunchConfig config = {.gridDimX = 1,
				 .gridDimY = 1,
				 .gridDimZ = 1,
				 .blockDimX = 1,
				 .blockDimY = 1,
				 .blockDimZ = 1,
				 .hStream = stream,
				 .attrs = &attribute,
				 .numAttrs = attribute.id != CU_LAUNCH_ATTRIBUTE_IGNORE};

	OK(cuLaunchKernelEx(&config, (CUfunction)e->loaded.scale, values, NULL));
}

static CUlaunchAttribute none(void)
{
	return (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_IGNORE};
}

static CUlaunchAttribute programmatic(void)
{
	return (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
				   .value.programmaticStreamSerializationAllowed = 1};
}

/* The data of the edges that lead to the node that was made at that place. */
static size_t edges_to(CUgraph graph, size_t place, CUgraphEdgeData *data)
{
	CUgraphNode nodes[MOST], before[MOST];
	size_t count = MOST, edges = MOST;

	OK(cuGraphGetNodes(graph, nodes, &count));
	assert_in_range(place, 0, count - 1);
	OK(cuGraphNodeGetDependencies(nodes[place], before, data, &edges));
	return edges;
}

/* The previous kernel only, also if a wait for an event is between them. */
TEST(capture_of_a_programmatic_launch)
{
	struct edges *e = *state;
	CUgraphEdgeData data[MOST];
	CUgraph graph;

	OK(cuStreamBeginCapture(e->loaded.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuEventRecord(e->event, e->loaded.stream));
	OK(cuStreamWaitEvent(e->other, e->event, 0));
	launch(e, e->loaded.stream, none());
	launch(e, e->other, none());
	OK(cuEventRecord(e->event, e->other));
	OK(cuStreamWaitEvent(e->loaded.stream, e->event, 0));
	launch(e, e->loaded.stream, programmatic());
	launch(e, e->loaded.stream, none());
	OK(cuStreamEndCapture(e->loaded.stream, &graph));
	assert_int_equal(edges_to(graph, 2, data), 2);
	assert_edge(&data[0], &EARLY);
	assert_edge(&data[1], &PLAIN);
	assert_int_equal(edges_to(graph, 3, data), 1);
	assert_edge(&data[0], &PLAIN);
	OK(cuGraphDestroy(graph));
}

TEST(programmatic_launch_after_no_kernel)
{
	struct edges *e = *state;
	CUgraphEdgeData data[MOST];
	CUgraph graph;

	OK(cuStreamBeginCapture(e->loaded.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	launch(e, e->loaded.stream, none());
	OK(cuMemsetD8Async(e->loaded.memory, 1, 16, e->loaded.stream));
	launch(e, e->loaded.stream, programmatic());
	OK(cuStreamEndCapture(e->loaded.stream, &graph));
	assert_int_equal(edges_to(graph, 2, data), 1);
	assert_edge(&data[0], &PLAIN);
	OK(cuGraphDestroy(graph));
}

/* The launch records an event, another stream waits for it: an edge from that port. */
static void check_event(struct edges *e, CUlaunchAttribute attribute, const CUgraphEdgeData *want)
{
	const CUgraphNode *heads;
	const CUgraphEdgeData *head_data;
	CUstreamCaptureStatus status;
	CUgraphEdgeData data[MOST];
	CUgraph graph;
	size_t count;

	OK(cuStreamBeginCapture(e->loaded.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	launch(e, e->loaded.stream, attribute);
	OK(cuStreamWaitEvent(e->other, e->event, 0));
	FAILS(CUDA_ERROR_LOSSY_QUERY,
	      cuStreamGetCaptureInfo(e->other, &status, NULL, NULL, &heads, NULL, &count));
	OK(cuStreamGetCaptureInfo(e->other, &status, NULL, NULL, &heads, &head_data, &count));
	assert_int_equal(count, 1);
	assert_edge(&head_data[0], want);
	launch(e, e->other, none());
	OK(cuEventRecord(e->event, e->other));
	OK(cuStreamWaitEvent(e->loaded.stream, e->event, 0));
	OK(cuStreamEndCapture(e->loaded.stream, &graph));
	assert_int_equal(edges_to(graph, 1, data), 1);
	assert_edge(&data[0], want);
	OK(cuGraphDestroy(graph));
}

TEST(capture_of_launch_events)
{
	struct edges *e = *state;
	CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT};

	attribute.value.programmaticEvent.event = e->event;
	check_event(e, attribute, &EARLY);
	attribute.value.programmaticEvent.triggerAtBlockStart = 1;
	check_event(e, attribute, &BEGUN);
	attribute = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT};
	attribute.value.launchCompletionEvent.event = e->event;
	check_event(e, attribute, &BEGUN);
}

/* A copy cannot depend on part of a kernel: the capture becomes invalid. */
TEST(launch_event_in_front_of_no_kernel)
{
	struct edges *e = *state;
	CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT};
	CUgraph graph;

	attribute.value.programmaticEvent.event = e->event;
	OK(cuStreamBeginCapture(e->loaded.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	launch(e, e->loaded.stream, attribute);
	OK(cuStreamWaitEvent(e->other, e->event, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(e->loaded.memory, 1, 16, e->other));
	FAILS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(e->loaded.stream, &graph));
}

TEST(dependencies_are_set_with_data)
{
	struct edges *e = *state;
	const CUgraphNode *heads;
	CUstreamCaptureStatus status;
	CUgraphEdgeData data[MOST];
	CUgraphNode node;
	CUgraph graph;
	size_t count;

	OK(cuStreamBeginCapture(e->loaded.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	launch(e, e->loaded.stream, none());
	OK(cuStreamGetCaptureInfo(e->loaded.stream, &status, NULL, NULL, &heads, NULL, &count));
	node = heads[0];
	OK(cuStreamUpdateCaptureDependencies(e->loaded.stream, &node, &BEGUN, 1,
					     CU_STREAM_SET_CAPTURE_DEPENDENCIES));
	launch(e, e->loaded.stream, none());
	OK(cuStreamEndCapture(e->loaded.stream, &graph));
	assert_int_equal(edges_to(graph, 1, data), 1);
	assert_edge(&data[0], &BEGUN);
	OK(cuGraphDestroy(graph));
}
