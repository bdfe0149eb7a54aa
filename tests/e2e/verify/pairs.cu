// Two kernels in streams that nothing orders, which write where data says: whether they meet
// depends on the data. The first argument is the scenario, the second "again" in a second run.
#include <atomic>
#include <dlfcn.h>
#include <sched.h>
#include <string>
#include <string.h>
#include "include/streamcheck/streamcheck.h"
#include "testcases/common.h"

static const int N = 64;

static __global__ void scatter(int *data, const int *places, int value)
{
	data[places[threadIdx.x]] = value;
}

static __global__ void gather(int *data, const int *places, int value)
{
	data[places[threadIdx.x]] += value;
}

static __global__ void put(int *data, int value)
{
	data[threadIdx.x] = value;
}

static cudaStream_t new_stream()
{
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	return stream;
}

static int *new_memory(int bytes)
{
	int *data;

	CHECK(cudaMalloc(&data, bytes));
	CHECK(cudaMemset(data, 0, bytes));
	CHECK(cudaDeviceSynchronize());
	return data;
}

// Places from `first` on.
static int *new_places(int first)
{
	int all[N], *places = new_memory(sizeof(all));

	for (int i = 0; i < N; i++)
		all[i] = first + i;
	CHECK(cudaMemcpy(places, all, sizeof(all), cudaMemcpyHostToDevice));
	CHECK(cudaDeviceSynchronize());
	return places;
}

// `first`: places of the second kernel; the first has those from 0 on.
static void pair(int first, bool has_second, bool is_other)
{
	int *data = new_memory(4 * N * sizeof(int)), *a = new_places(0), *b = new_places(first);
	cudaStream_t s = new_stream(), t = new_stream();

	scatter<<<1, N, 0, s>>>(data, a, 1);
	if (has_second && !is_other)
		gather<<<1, N, 0, t>>>(data, b, 2);
	if (has_second && is_other)
		gather<<<1, N, 0, t>>>(data, b, 3);
	CHECK(cudaDeviceSynchronize());
}

// In the second run a query happens to come between the two.
static void pair_with_query(int first, bool asks)
{
	int *data = new_memory(4 * N * sizeof(int)), *a = new_places(0), *b = new_places(first);
	cudaStream_t s = new_stream(), t = new_stream();

	scatter<<<1, N, 0, s>>>(data, a, 1);
	while (asks && cudaStreamQuery(s) != cudaSuccess)
		;
	gather<<<1, N, 0, t>>>(data, b, 2);
	CHECK(cudaDeviceSynchronize());
}

// The same pair as nodes of a graph that is launched twice.
static void pair_in_graph(int first)
{
	int *data = new_memory(4 * N * sizeof(int)), *a = new_places(0), *b = new_places(first);
	cudaStream_t s = new_stream(), t = new_stream();
	cudaEvent_t fork, join;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
	CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
	CHECK(cudaEventRecord(fork, s));
	CHECK(cudaStreamWaitEvent(t, fork, 0));
	scatter<<<1, N, 0, s>>>(data, a, 1);
	gather<<<1, N, 0, t>>>(data, b, 2);
	CHECK(cudaEventRecord(join, t));
	CHECK(cudaStreamWaitEvent(s, join, 0));
	CHECK(cudaStreamEndCapture(s, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, s));
	CHECK(cudaGraphLaunch(exec, s));
	CHECK(cudaDeviceSynchronize());
}

static __global__ void put_one(int *data, int *other, int is_other)
{
	(is_other ? other : data)[threadIdx.x] = 1;
}

// A graph keeps the address of a buffer that goes back to its pool before the second launch.
static void input_of_graph_dies(int is_other)
{
	int *block = new_memory(4 * N * sizeof(int)), *piece = block + N;
	cudaStream_t s = new_stream();
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	streamcheck_pool_allocate(piece, N * sizeof(int), s);
	CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
	put_one<<<1, N, 0, s>>>(piece, block, is_other);
	CHECK(cudaStreamEndCapture(s, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, s));
	streamcheck_pool_free(piece, s);
	CHECK(cudaGraphLaunch(exec, s));
	CHECK(cudaDeviceSynchronize());
}

static void raise_flag(void *flag)
{
	((std::atomic<int> *)flag)->store(1, std::memory_order_release);
}

// A staging buffer is written again when a host function has handed it over by an atomic.
static void handed_over()
{
	static std::atomic<int> flag;
	int *data = new_memory(N * sizeof(int)), *staging;
	cudaStream_t s = new_stream();

	CHECK(cudaMallocHost(&staging, N * sizeof(int)));
	CHECK(cudaMemcpyAsync(data, staging, N * sizeof(int), cudaMemcpyHostToDevice, s));
	CHECK(cudaLaunchHostFunc(s, raise_flag, &flag));
	while (!flag.load(std::memory_order_acquire))
		sched_yield();
	staging[0] = 1;
	CHECK(cudaDeviceSynchronize());
}

static void rewritten_while_used()
{
	int *data = new_memory(N * sizeof(int));
	cudaStream_t s = new_stream(), t = new_stream();

	put<<<1, N, 0, s>>>(data, 1);
	CHECK(cudaMemsetAsync(data, 0, N * sizeof(int), t));
	CHECK(cudaDeviceSynchronize());
}

// The same, by way of listened.c.
static void rewritten_by_listened(const std::string &program, bool is_listened)
{
	typedef int fill_by_fn(cudaError_t(*)(void *, int, size_t, cudaStream_t), void *, size_t,
			       cudaStream_t, int);
	std::string library = program.substr(0, program.rfind('/')) + "/libcudart.listened.so";
	auto fill_by = (fill_by_fn *)dlsym(dlopen(library.c_str(), RTLD_NOW), "fill_by");
	int *data = new_memory(N * sizeof(int));
	cudaStream_t s = new_stream(), t = new_stream();

	put<<<1, N, 0, s>>>(data, 1);
	if (fill_by(cudaMemsetAsync, data, N * sizeof(int), t, is_listened))
		exit(1);
	CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
	const char *scenario = argc > 1 ? argv[1] : "";
	bool is_again = argc > 2 && !strcmp(argv[2], "again");

	if (!strcmp(scenario, "meet"))
		pair(N / 2, 1, 0);
	else if (!strcmp(scenario, "two_pairs"))
		pair(N / 2, 1, 0), pair(N / 2, 1, 1);
	else if (!strcmp(scenario, "apart"))
		pair(N, 1, 0);
	else if (!strcmp(scenario, "asks"))
		pair_with_query(N / 2, is_again);
	else if (!strcmp(scenario, "asks_apart"))
		pair_with_query(N, is_again);
	else if (!strcmp(scenario, "listened"))
		rewritten_by_listened(argv[0], is_again);
	else if (!strcmp(scenario, "graph"))
		pair_in_graph(argc > 2 ? N : N / 2);
	else if (!strcmp(scenario, "graph_input"))
		input_of_graph_dies(argc > 2);
	else if (!strcmp(scenario, "not_again"))
		pair(N / 2, !is_again, 0);
	else if (!strcmp(scenario, "other_path"))
		pair(N / 2, 1, is_again);
	else if (!strcmp(scenario, "fails")) {
		if (is_again)
			return 5;
		pair(N / 2, 1, 0);
	} else if (!strcmp(scenario, "killed")) {
		if (is_again)
			abort();
		pair(N / 2, 1, 0);
	} else if (!strcmp(scenario, "flood")) {
		pair(N, 1, 0);
		for (int i = 0; is_again && i < 100000; i++)
			CHECK(cudaStreamSynchronize(0));
	} else if (!strcmp(scenario, "rewritten"))
		rewritten_while_used();
	else if (!strcmp(scenario, "handed_over"))
		handed_over();
	else if (!strcmp(scenario, "silent"))
		new_memory(N);
	else
		return 1;
	printf("%s\n", scenario);
	return 0;
}
