// Small graphs of operations with a known number of orders, for test_explore.py: orders SCENARIO.
#include <cstdio>
#include <cstring>
#include <ctime>
#include "testcases/common.h"

#define STREAMS 8
#define N	4 // numbers in a buffer

static cudaStream_t streams[STREAMS];
static int *x, *y;

__global__ void append(int *data, int value)
{
	data[threadIdx.x] = data[threadIdx.x] * 10 + value;
}

__global__ void put(int *data, int value)
{
	data[threadIdx.x] = value;
}

__global__ void add(int *data, int value)
{
	atomicAdd(&data[threadIdx.x], value);
}

static void copy(int *to, const int *from, int stream)
{
	CHECK(cudaMemcpyAsync(to, from, N * sizeof(int), cudaMemcpyDeviceToDevice,
			      streams[stream]));
}

// Two conflicts that have nothing to do with each other.
static void independent()
{
	append<<<1, N, 0, streams[0]>>>(x, 1);
	append<<<1, N, 0, streams[1]>>>(x, 2);
	append<<<1, N, 0, streams[2]>>>(y, 3);
	append<<<1, N, 0, streams[3]>>>(y, 4);
}

// The middle one of three meets the other two.
static void chain()
{
	put<<<1, N, 0, streams[0]>>>(x, 1);
	copy(y, x, 1);
	put<<<1, N, 0, streams[2]>>>(y, 2);
}

// The same, with the first before the last.
static void tied_chain()
{
	put<<<1, N, 0, streams[0]>>>(x, 1);
	copy(y, x, 1);
	put<<<1, N, 0, streams[0]>>>(y, 2);
}

static void three_writers()
{
	for (int i = 0; i < 3; i++)
		append<<<1, N, 0, streams[i]>>>(x, i + 1);
}

static void three_equal()
{
	for (int i = 0; i < 3; i++)
		put<<<1, N, 0, streams[i]>>>(x, 7);
}

static void eight_writers()
{
	for (int i = 0; i < 8; i++)
		append<<<1, N, 0, streams[i]>>>(x, i + 1);
}

// Two streams with three each: as many orders as ways to choose three places of six.
static void two_rows()
{
	for (int i = 0; i < 6; i++)
		append<<<1, N, 0, streams[i % 2]>>>(x, i + 1);
}

static void atomics()
{
	add<<<1, N, 0, streams[0]>>>(x, 1);
	add<<<1, N, 0, streams[1]>>>(x, 2);
}

static void ordered()
{
	append<<<1, N, 0, streams[0]>>>(x, 1);
	append<<<1, N, 0, streams[0]>>>(x, 2);
}

static int *copied_to_host()
{
	int *host = (int *)pinned(N * sizeof(int));

	CHECK(cudaMemcpyAsync(host, x, N * sizeof(int), cudaMemcpyDeviceToHost, streams[0]));
	return host;
}

// The host looks at the results of two copies, and enqueues something between.
static void host_twice()
{
	volatile int *one = copied_to_host(), *other = copied_to_host();
	int first = one[0];

	put<<<1, N, 0, streams[1]>>>(y, 1);
	printf("%d %d\n", first, other[0]);
}

// And without anything between: that is one operation.
static void host_once()
{
	volatile int *one = copied_to_host(), *other = copied_to_host();
	int first = one[0];

	printf("%d %d\n", first, other[0]);
}

// Between the two a call that enqueues nothing: the device has no turn there.
static void host_asks()
{
	volatile int *one = copied_to_host(), *other = copied_to_host();
	int first = one[0];

	CHECK(cudaStreamQuery(streams[1]));
	printf("%d %d\n", first, other[0]);
}

// What is enqueued later comes before what the host waits for by luck.
static void host_later()
{
	volatile int *host = copied_to_host();

	put<<<1, N, 0, streams[1]>>>(x, 6);
	printf("%d\n", host[0]);
}

// Both write what the device copies; the host's value stays in one order.
static void host_writes()
{
	volatile int *host = copied_to_host();

	host[0] = 9;
}

// Only one order leads to two more operations.
static void paths()
{
	int seen[N];

	put<<<1, N, 0, streams[0]>>>(x, 1);
	put<<<1, N, 0, streams[1]>>>(x, 2);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(seen, x, sizeof(seen), cudaMemcpyDeviceToHost));
	if (seen[0] == 1) {
		append<<<1, N, 0, streams[2]>>>(y, 1);
		append<<<1, N, 0, streams[3]>>>(y, 2);
	}
}

static void nodes()
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	cudaMemsetParams params = {};

	params.dst = x;
	params.elementSize = 1;
	params.height = 1;
	params.width = N;
	CHECK(cudaGraphCreate(&graph, 0));
	for (params.value = 1; params.value <= 2; params.value++)
		CHECK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &params));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, streams[0]));
	CHECK(cudaStreamSynchronize(streams[0]));
}

// Another number in each run, and a pair of which both leave the same.
static void unsteady()
{
	timespec now;

	put<<<1, N, 0, streams[0]>>>(x, 7);
	put<<<1, N, 0, streams[1]>>>(x, 7);
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%ld.%ld\n", (long)now.tv_sec, now.tv_nsec);
}

static void ends_memory()
{
	int *block;

	CHECK(cudaMallocAsync((void **)&block, N * sizeof(int), streams[0]));
	CHECK(cudaStreamSynchronize(streams[0]));
	put<<<1, N, 0, streams[1]>>>(block, 1);
	CHECK(cudaFreeAsync(block, streams[0]));
}

static const struct {
	const char *name;
	void (*run)();
} scenarios[] = {
	{"independent", independent},
	{"chain", chain},
	{"tied_chain", tied_chain},
	{"three_writers", three_writers},
	{"three_equal", three_equal},
	{"eight_writers", eight_writers},
	{"two_rows", two_rows},
	{"atomics", atomics},
	{"ordered", ordered},
	{"host_twice", host_twice},
	{"host_once", host_once},
	{"host_asks", host_asks},
	{"host_later", host_later},
	{"host_writes", host_writes},
	{"paths", paths},
	{"nodes", nodes},
	{"unsteady", unsteady},
	{"ends_memory", ends_memory},
};

int main(int argc, char **argv)
{
	int result[2][N];

	for (auto &stream : streams)
		CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	x = (int *)on_device(N * sizeof(int));
	y = (int *)on_device(N * sizeof(int));
	put<<<1, N>>>(x, 5);
	put<<<1, N>>>(y, 0);
	CHECK(cudaDeviceSynchronize());
	for (auto &scenario : scenarios)
		if (argc > 1 && !strcmp(argv[1], scenario.name))
			scenario.run();
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(result[0], x, sizeof(result[0]), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(result[1], y, sizeof(result[1]), cudaMemcpyDeviceToHost));
	printf("%d %d\n", result[0][0], result[1][0]);
	return 0;
}
