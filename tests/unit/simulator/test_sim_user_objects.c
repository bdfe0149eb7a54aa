/* User objects of graphs: who holds them, and when their destructors run. */
#include "tests/unit/simulator/sim_fixture.h"

/* What the destructor of an object did. */
struct seen {
	sem_t destroyed;
	unsigned times;
	CUresult call; /* of CUDA, in it */
};

static void note_destruction(void *data)
{
	struct seen *seen = data;
	CUcontext context;

	seen->times++;
	seen->call = cuCtxGetCurrent(&context);
	sem_post(&seen->destroyed);
}

static CUuserObject new_object(struct seen *seen, unsigned count)
{
	CUuserObject object;

	*seen = (struct seen){0};
	sem_init(&seen->destroyed, 0, 0);
	OK(cuUserObjectCreate(&object, seen, note_destruction, count,
			      CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	return object;
}

static void expect_destruction(struct seen *seen)
{
	while (sem_wait(&seen->destroyed))
		;
	assert_int_equal(seen->times, 1);
	assert_int_equal(seen->call, CUDA_ERROR_NOT_PERMITTED);
}

/* The destructor of an object that died later has run: those that died before would have, too. */
static void expect_life(const struct seen *seen)
{
	struct seen later;

	OK(cuUserObjectRelease(new_object(&later, 1), 1));
	expect_destruction(&later);
	assert_int_equal(seen->times, 0);
}

ALL_TESTS(sim_setup, sim_teardown)

TEST(references_of_the_program)
{
	struct seen seen;
	CUuserObject object = new_object(&seen, 2);

	OK(cuUserObjectRetain(object, 3));
	OK(cuUserObjectRelease(object, 4));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuUserObjectRelease(object, 2));
	expect_life(&seen);
	OK(cuUserObjectRelease(object, 1));
	expect_destruction(&seen);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuUserObjectRetain(object, 1));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuUserObjectRelease(object, 1));
}

TEST(wrong_arguments)
{
	CUuserObject object;
	struct seen seen;
	CUgraph graph;

	FAILS(CUDA_ERROR_INVALID_VALUE, cuUserObjectCreate(&object, NULL, note_destruction, 1, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuUserObjectCreate(&object, NULL, note_destruction, 0,
							   CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuUserObjectCreate(&object, NULL, NULL, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	OK(cuGraphCreate(&graph, 0));
	object = new_object(&seen, 1);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphRetainUserObject(graph, object, 0, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphRetainUserObject(graph, object, 1, 2));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuGraphRetainUserObject(graph, object, 2, CU_GRAPH_USER_OBJECT_MOVE));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphReleaseUserObject(graph, object, 1));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphRetainUserObject(graph, (CUuserObject)graph, 1, 0));
	OK(cuUserObjectRelease(object, 1));
	expect_destruction(&seen);
	OK(cuGraphDestroy(graph));
}

TEST(graphs_and_their_copies_hold)
{
	struct seen seen;
	CUuserObject object = new_object(&seen, 1);
	CUgraph graph, clone, parent;
	CUgraphNode child;
	CUgraphExec exec;

	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuUserObjectRelease(object, 1)); /* it was moved */
	OK(cuGraphClone(&clone, graph));
	OK(cuGraphDestroy(graph));
	expect_life(&seen);
	OK(cuGraphCreate(&parent, 0));
	OK(cuGraphAddChildGraphNode(&child, parent, NULL, 0, clone));
	OK(cuGraphReleaseUserObject(clone, object, 1));
	OK(cuGraphDestroy(clone));
	expect_life(&seen);
	OK(cuGraphInstantiate(&exec, parent, 0));
	OK(cuGraphDestroy(parent));
	expect_life(&seen);
	OK(cuGraphExecDestroy(exec));
	expect_destruction(&seen);
}

static CUgraphExec new_exec(CUuserObject object, CUgraph *graph)
{
	CUgraphNode node;
	CUgraphExec exec;

	OK(cuGraphCreate(graph, 0));
	OK(cuGraphAddEmptyNode(&node, *graph, NULL, 0));
	OK(cuGraphRetainUserObject(*graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
	OK(cuGraphInstantiate(&exec, *graph, 0));
	return exec;
}

TEST(a_launch_in_flight_holds)
{
	struct seen seen;
	CUgraph graph;
	CUgraphExec exec = new_exec(new_object(&seen, 1), &graph);
	struct gate gate;
	CUstream stream;

	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	gate_close(&gate, stream);
	OK(cuGraphLaunch(exec, stream));
	OK(cuGraphDestroy(graph));
	OK(cuGraphExecDestroy(exec));
	expect_life(&seen);
	gate_open(&gate);
	OK(cuStreamSynchronize(stream));
	expect_destruction(&seen);
	OK(cuStreamDestroy(stream));
}

TEST(an_update_replaces_references)
{
	struct seen old, new;
	CUgraph first, second;
	CUgraphExec exec = new_exec(new_object(&old, 1), &first);
	CUgraphExec other = new_exec(new_object(&new, 1), &second);
	CUgraphExecUpdateResultInfo info;

	OK(cuGraphDestroy(first));
	OK(cuGraphExecDestroy(other));
	OK(cuGraphExecUpdate(exec, second, &info));
	expect_destruction(&old);
	OK(cuGraphDestroy(second));
	expect_life(&new);
	OK(cuGraphExecDestroy(exec));
	expect_destruction(&new);
}
