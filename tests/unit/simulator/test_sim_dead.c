/* Handles that died: the driver that is simulated crashes when it is asked about a stream or an
 * event that was destroyed, and answers with an error for graphs (driver 580). */
#include "tests/unit/simulator/sim_fixture.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct dead {
	CUstream stream, other;
	CUevent event, live;
	CUdeviceptr memory;
};

static CUresult query(const struct dead *d)
{
	return cuStreamQuery(d->stream);
}

static CUresult is_capturing(const struct dead *d)
{
	CUstreamCaptureStatus status;

	return cuStreamIsCapturing(d->stream, &status);
}

static CUresult capture_info(const struct dead *d)
{
	CUstreamCaptureStatus status;

	return cuStreamGetCaptureInfo(d->stream, &status, NULL, NULL, NULL, NULL, NULL);
}

static CUresult get_flags(const struct dead *d)
{
	unsigned int flags;

	return cuStreamGetFlags(d->stream, &flags);
}

static CUresult get_context(const struct dead *d)
{
	CUcontext context;

	return cuStreamGetCtx(d->stream, &context);
}

static CUresult synchronize(const struct dead *d)
{
	return cuStreamSynchronize(d->stream);
}

static CUresult fill_nothing(const struct dead *d)
{
	return cuMemsetD8Async(d->memory, 0, 0, d->stream);
}

static CUresult destroy_again(const struct dead *d)
{
	return cuStreamDestroy(d->stream);
}

static CUresult record_in_dead(const struct dead *d)
{
	return cuEventRecord(d->live, d->stream);
}

static CUresult event_query(const struct dead *d)
{
	return cuEventQuery(d->event);
}

static CUresult event_record(const struct dead *d)
{
	return cuEventRecord(d->event, d->other);
}

static CUresult event_wait(const struct dead *d)
{
	return cuStreamWaitEvent(d->other, d->event, 0);
}

static CUresult event_synchronize(const struct dead *d)
{
	return cuEventSynchronize(d->event);
}

static CUresult event_destroy_again(const struct dead *d)
{
	return cuEventDestroy(d->event);
}

static void make(struct dead *d)
{
	OK(cuStreamCreate(&d->stream, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&d->other, CU_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&d->event, CU_EVENT_DISABLE_TIMING));
	OK(cuEventCreate(&d->live, CU_EVENT_DISABLE_TIMING));
	OK(cuMemAlloc(&d->memory, 64));
}

/* In a process of its own, which has not used the driver before. */
static int end_of(CUresult (*call)(const struct dead *))
{
	pid_t child = fork();
	struct dead d;
	int status;

	if (!child) {
		signal(SIGSEGV, SIG_DFL);
		setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
		if (sim_setup(NULL))
			_exit(1);
		make(&d);
		if (cuStreamDestroy(d.stream) || cuEventDestroy(d.event))
			_exit(2);
		_exit(call(&d) ? 3 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

TEST(dead_streams_and_events_crash)
{
	static CUresult (*const calls[])(const struct dead *) = {
		query,	      is_capturing, capture_info,      get_flags,	   get_context,
		synchronize,  fill_nothing, destroy_again,     record_in_dead,	   event_query,
		event_record, event_wait,   event_synchronize, event_destroy_again};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		int status = end_of(calls[i]);

		if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV)
			fail_msg("call %zu: status %x", i, (unsigned)status);
	}
}

TEST(dead_graphs_are_refused)
{
	CUgraphExec exec;
	CUgraph graph;
	size_t count;

	assert_int_equal(sim_setup(NULL), 0);
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphGetNodes(graph, NULL, &count));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(graph));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(exec, NULL));
	assert_int_equal(sim_teardown(NULL), 0);
}

TEST(streams_come_back_at_once)
{
	CUstream first, second;

	assert_int_equal(sim_setup(NULL), 0);
	OK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
	OK(cuStreamDestroy(first));
	OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
	assert_ptr_equal(first, second);
	OK(cuStreamSynchronize(second));
	OK(cuStreamDestroy(second));
	assert_int_equal(sim_teardown(NULL), 0);
}

/* One after the other in one graph: the same address, as for a pool. */
TEST(graph_memory_comes_back)
{
	CUdeviceptr memory[3], beside;
	CUgraphExec exec;
	CUstream stream;
	CUgraph graph;

	assert_int_equal(sim_setup(NULL), 0);
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuMemAllocAsync(&beside, 1 << 20, stream));
	for (int i = 0; i < 3; i++) {
		OK(cuMemAllocAsync(&memory[i], 1 << 20, stream));
		OK(cuMemsetD8Async(memory[i], 1, 1 << 20, stream));
		OK(cuMemFreeAsync(memory[i], stream));
	}
	OK(cuMemFreeAsync(beside, stream));
	OK(cuStreamEndCapture(stream, &graph));
	assert_int_equal(memory[0], memory[1]);
	assert_int_equal(memory[1], memory[2]);
	assert_int_not_equal(memory[0], beside);
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphLaunch(exec, stream));
	OK(cuGraphLaunch(exec, stream));
	OK(cuStreamSynchronize(stream));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	OK(cuStreamDestroy(stream));
	assert_int_equal(sim_teardown(NULL), 0);
}
