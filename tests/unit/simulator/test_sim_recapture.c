/* Recapture into a graph of the simulated driver (rule G-16). */
#include "tests/unit/simulator/sim_fixture.h"

#define BYTES 256

struct again {
	CUstream stream;
	CUdeviceptr memory;
	CUgraph graph; /* a fill, and a fill after it */
	CUresult answer;
	CUgraphExec exec; /* gets the new parameters in the callback, or NULL */
	unsigned asked;
	CUgraphNode node;
	unsigned before, after; /* values of a fill */
	CUgraphRecaptureStatus status;
};

static CUresult fill(struct again *a, unsigned char first, unsigned char second)
{
	CUresult result = cuMemsetD8Async(a->memory, first, BYTES, a->stream);

	return result ? result : cuMemsetD8Async(a->memory, second, BYTES / 2, a->stream);
}

static int setup(void **state)
{
	static struct again again;

	if (sim_setup(NULL) || cuStreamCreate(&again.stream, CU_STREAM_NON_BLOCKING) ||
	    cuMemAlloc(&again.memory, BYTES))
		return -1;
	*state = &again;
	return 0;
}

static int teardown(void **state)
{
	struct again *a = *state;

	if (cuCtxSynchronize() || cuStreamDestroy(a->stream) || cuMemFree(a->memory))
		return -1;
	return sim_teardown(NULL);
}

/* A graph of its own for a test, destroyed by done(). */
static struct again *make(void **state)
{
	struct again *a = *state;

	*a = (struct again){.stream = a->stream, .memory = a->memory, .answer = CUDA_SUCCESS};
	OK(cuStreamBeginCapture(a->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(fill(a, 1, 2));
	OK(cuStreamEndCapture(a->stream, &a->graph));
	return a;
}

static void done(struct again *a)
{
	OK(cuGraphDestroy(a->graph));
}

static CUresult note(void *data, CUgraphNode node, const CUgraphNodeParams *before,
		     const CUgraphNodeParams *after, CUgraphRecaptureStatus status)
{
	struct again *a = data;
	CUgraphNodeParams copy = *after;

	a->asked++;
	a->node = node;
	a->before = before->memset.value;
	a->after = after->memset.value;
	a->status = status;
	if (a->exec)
		OK(cuGraphExecNodeSetParams(a->exec, node, &copy));
	return a->answer;
}

static void begin(struct again *a)
{
	OK(cuStreamBeginRecaptureToGraph(a->stream, CU_STREAM_CAPTURE_MODE_GLOBAL, a->graph, note,
					 a));
}

static void expect_bytes(struct again *a, CUgraphExec exec, unsigned char first,
			 unsigned char second)
{
	unsigned char got[BYTES];

	OK(cuGraphLaunch(exec, a->stream));
	OK(cuMemcpyDtoHAsync(got, a->memory, BYTES, a->stream));
	OK(cuStreamSynchronize(a->stream));
	assert_int_equal(got[BYTES - 1], first);
	assert_int_equal(got[0], second);
}

ALL_TESTS(setup, teardown)

/* The nodes are the same ones; an exec of before keeps what it had. */
TEST(replaces_what_nodes_do)
{
	struct again *a = make(state);
	CUgraphNode nodes[2], later[2];
	CUgraphExec old, new;
	size_t count = 2;
	CUgraph ended;

	OK(cuGraphGetNodes(a->graph, nodes, &count));
	OK(cuGraphInstantiate(&old, a->graph, 0));
	begin(a);
	OK(fill(a, 1, 7));
	OK(cuStreamEndCapture(a->stream, &ended));
	assert_ptr_equal(ended, a->graph);
	assert_int_equal(a->asked, 1);
	assert_ptr_equal(a->node, nodes[1]);
	assert_int_equal(a->before, 2);
	assert_int_equal(a->after, 7);
	assert_int_equal(a->status, CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE);
	OK(cuGraphGetNodes(a->graph, later, &count));
	assert_int_equal(count, 2);
	assert_memory_equal(nodes, later, sizeof(nodes));
	OK(cuGraphInstantiate(&new, a->graph, 0));
	expect_bytes(a, old, 1, 2);
	expect_bytes(a, new, 1, 7);
	OK(cuGraphExecDestroy(old));
	OK(cuGraphExecDestroy(new));
	done(a);
}

/* What the function is for: it hands the new parameters to an exec. */
TEST(function_updates_an_exec)
{
	struct again *a = make(state);
	CUgraph ended;

	OK(cuGraphInstantiate(&a->exec, a->graph, 0));
	begin(a);
	OK(fill(a, 5, 2));
	OK(cuStreamEndCapture(a->stream, &ended));
	expect_bytes(a, a->exec, 5, 2);
	OK(cuGraphExecDestroy(a->exec));
	done(a);
}

TEST(without_a_function_differences_are_taken)
{
	struct again *a = make(state);
	CUgraphExec exec;
	CUgraph ended;

	OK(cuStreamBeginRecaptureToGraph(a->stream, CU_STREAM_CAPTURE_MODE_GLOBAL, a->graph, NULL,
					 NULL));
	OK(fill(a, 5, 6));
	OK(cuStreamEndCapture(a->stream, &ended));
	OK(cuGraphInstantiate(&exec, a->graph, 0));
	expect_bytes(a, exec, 5, 6);
	OK(cuGraphExecDestroy(exec));
	done(a);
}

static void expect_broken(struct again *a)
{
	CUgraph ended = a->graph;

	FAILS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(a->stream, &ended));
	assert_null(ended);
}

TEST(function_refuses)
{
	struct again *a = make(state);

	a->answer = CUDA_ERROR_INVALID_VALUE;
	begin(a);
	FAILS(CUDA_ERROR_GRAPH_RECAPTURE_FAILURE, fill(a, 9, 2));
	FAILS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, fill(a, 1, 2));
	expect_broken(a);
	done(a);
}

TEST(other_work)
{
	struct again *a = make(state);

	begin(a);
	OK(cuMemsetD8Async(a->memory, 1, BYTES, a->stream));
	FAILS(CUDA_ERROR_GRAPH_RECAPTURE_FAILURE,
	      cuMemcpyDtoDAsync(a->memory, a->memory + BYTES / 2, BYTES / 2, a->stream));
	expect_broken(a);
	assert_int_equal(a->asked, 0);
	done(a);
}

TEST(more_work)
{
	struct again *a = make(state);

	begin(a);
	OK(fill(a, 1, 2));
	FAILS(CUDA_ERROR_GRAPH_RECAPTURE_FAILURE, cuMemsetD8Async(a->memory, 1, BYTES, a->stream));
	expect_broken(a);
	done(a);
}

TEST(less_work)
{
	struct again *a = make(state);
	CUgraph ended;

	begin(a);
	OK(cuMemsetD8Async(a->memory, 1, BYTES, a->stream));
	FAILS(CUDA_ERROR_GRAPH_RECAPTURE_FAILURE, cuStreamEndCapture(a->stream, &ended));
	OK(cuStreamSynchronize(a->stream)); /* it captures no more */
	done(a);
}

/* The second fill was after the first one. */
TEST(other_edges)
{
	struct again *a = make(state);

	begin(a);
	OK(cuMemsetD8Async(a->memory, 1, BYTES, a->stream));
	OK(cuStreamUpdateCaptureDependencies(a->stream, NULL, NULL, 0,
					     CU_STREAM_SET_CAPTURE_DEPENDENCIES));
	FAILS(CUDA_ERROR_GRAPH_RECAPTURE_FAILURE,
	      cuMemsetD8Async(a->memory, 2, BYTES / 2, a->stream));
	expect_broken(a);
	done(a);
}

/* Memory of the graph's own has the same address, or the recapture fails. */
TEST(memory_nodes)
{
	struct again *a = make(state);
	CUdeviceptr first, second;
	CUgraph graph, ended;

	OK(cuStreamBeginCapture(a->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuMemAllocAsync(&first, BYTES, a->stream));
	OK(cuMemcpyDtoDAsync(a->memory, first, BYTES, a->stream));
	OK(cuMemFreeAsync(first, a->stream));
	OK(cuStreamEndCapture(a->stream, &graph));
	OK(cuStreamBeginRecaptureToGraph(a->stream, CU_STREAM_CAPTURE_MODE_GLOBAL, graph, note, a));
	OK(cuMemAllocAsync(&second, BYTES, a->stream));
	assert_int_equal(first, second);
	OK(cuMemcpyDtoDAsync(a->memory, second, BYTES, a->stream));
	OK(cuMemFreeAsync(second, a->stream));
	OK(cuStreamEndCapture(a->stream, &ended));
	OK(cuStreamBeginRecaptureToGraph(a->stream, CU_STREAM_CAPTURE_MODE_GLOBAL, graph, note, a));
	FAILS(CUDA_ERROR_GRAPH_RECAPTURE_FAILURE, cuMemAllocAsync(&second, 1 << 20, a->stream));
	expect_broken(a);
	assert_int_equal(a->asked, 0);
	OK(cuGraphDestroy(graph));
	done(a);
}

static void note_end(void *data)
{
	sem_post(data);
}

/* The graph gives back what it holds; an exec of before still holds its own. */
TEST(user_objects_go_first)
{
	struct again *a = make(state);
	CUuserObject object;
	CUgraphExec exec;
	CUgraph ended;
	sem_t destroyed;
	int value;

	sem_init(&destroyed, 0, 0);
	OK(cuUserObjectCreate(&object, &destroyed, note_end, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	OK(cuGraphRetainUserObject(a->graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
	OK(cuGraphInstantiate(&exec, a->graph, 0));
	begin(a);
	OK(fill(a, 1, 2));
	OK(cuStreamEndCapture(a->stream, &ended));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphReleaseUserObject(a->graph, object, 1));
	OK(sem_getvalue(&destroyed, &value));
	assert_int_equal(value, 0);
	OK(cuGraphExecDestroy(exec));
	while (sem_wait(&destroyed))
		;
	done(a);
}

TEST(wrong_arguments)
{
	struct again *a = make(state);
	CUgraph ended;

	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuStreamBeginRecaptureToGraph(a->stream, CU_STREAM_CAPTURE_MODE_GLOBAL, NULL, NULL,
					    NULL));
	begin(a);
	FAILS(CUDA_ERROR_ILLEGAL_STATE,
	      cuStreamBeginRecaptureToGraph(a->stream, CU_STREAM_CAPTURE_MODE_GLOBAL, a->graph,
					    NULL, NULL));
	OK(fill(a, 1, 2));
	OK(cuStreamEndCapture(a->stream, &ended));
	assert_int_equal(a->asked, 0);
	done(a);
}
