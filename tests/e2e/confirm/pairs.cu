// Programs with a pair of operations that nothing orders: which one runs is the argument.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
#include <atomic>
#include "testcases/common.h"

static const int N = 64;

static __global__ void put(int *data, int value)
{
	data[threadIdx.x] = value;
}

// The places are data: threads of both launches meet in some of them.
static __global__ void scatter(int *data, const int *places, int value)
{
	data[places[threadIdx.x]] = value;
}

static cudaStream_t new_stream()
{
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	return stream;
}

static int *new_memory()
{
	int *data;

	CHECK(cudaMalloc(&data, N * sizeof(int)));
	CHECK(cudaMemset(data, 0, N * sizeof(int)));
	CHECK(cudaDeviceSynchronize());
	return data;
}

static int fetch(const int *data, int index)
{
	int all[N];

	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(all, data, sizeof(all), cudaMemcpyDeviceToHost));
	return all[index];
}

static int two_kernels(int first, int second)
{
	int *data = new_memory();
	cudaStream_t a = new_stream(), b = new_stream();

	put<<<1, N, 0, a>>>(data, first);
	put<<<1, N, 0, b>>>(data, second);
	return fetch(data, 0);
}

static int different()
{
	two_kernels(0x11, 0x22);
	return 0;
}

static int equal()
{
	two_kernels(0x33, 0x33);
	return 0;
}

static int prints()
{
	printf("%#x\n", two_kernels(0x11, 0x22));
	return 0;
}

static int exits()
{
	return two_kernels(1, 2);
}

// Prints something else in each run.
static int unsteady()
{
	two_kernels(0x33, 0x33);
	printf("%d\n", getpid());
	return 0;
}

static int input()
{
	int first = 0, second = 0;

	if (scanf("%d %d", &first, &second) != 2)
		return 9;
	two_kernels(first, second);
	return 0;
}

static int scatters()
{
	int *data = new_memory(), *places, here[N];
	cudaStream_t a = new_stream(), b = new_stream();

	CHECK(cudaMalloc(&places, 2 * sizeof(here)));
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < N; i++)
			here[i] = turn ? N - 1 - i / 2 : i / 2 + 8;
		CHECK(cudaMemcpy(places + turn * N, here, sizeof(here), cudaMemcpyHostToDevice));
	}
	CHECK(cudaDeviceSynchronize());
	scatter<<<1, N, 0, a>>>(data, places, 0x44);
	scatter<<<1, N, 0, b>>>(data, places + N, 0x55);
	fetch(data, 0);
	return 0;
}

static int read_early()
{
	int *data = new_memory(), *host;
	cudaStream_t a = new_stream();

	CHECK(cudaMallocHost(&host, N * sizeof(int)));
	host[0] = 0x66;
	CHECK(cudaMemcpyAsync(host, data, N * sizeof(int), cudaMemcpyDeviceToHost, a));
	int seen = *(volatile int *)host;

	CHECK(cudaStreamSynchronize(a));
	return seen == 0x77;
}

static int write_early()
{
	int *data = new_memory(), *host;
	cudaStream_t a = new_stream();

	CHECK(cudaMallocHost(&host, N * sizeof(int)));
	host[0] = 0x66;
	CHECK(cudaMemcpyAsync(data, host, N * sizeof(int), cudaMemcpyHostToDevice, a));
	*(volatile int *)host = 0x77;
	CHECK(cudaStreamSynchronize(a));
	return 0;
}

static int both_write()
{
	int *data = new_memory(), *host;
	cudaStream_t a = new_stream();

	CHECK(cudaMallocHost(&host, N * sizeof(int)));
	CHECK(cudaMemcpyAsync(host, data, N * sizeof(int), cudaMemcpyDeviceToHost, a));
	*(volatile int *)host = 0x77;
	CHECK(cudaStreamSynchronize(a));
	return 0;
}

// The host access is a copy's, of pageable memory that another copy writes.
static int pageable()
{
	static int host[N];
	int *data = new_memory(), *other = new_memory();
	cudaStream_t a = new_stream();

	host[0] = 0x66;
	CHECK(cudaMemcpyAsync(host, data, sizeof(host), cudaMemcpyDeviceToHost, a));
	CHECK(cudaMemcpy(other, host, sizeof(host), cudaMemcpyHostToDevice));
	fetch(other, 0);
	return 0;
}

static std::atomic<int> stage;
static int *shared_data;

static void *second_thread(void *)
{
	cudaStream_t b = new_stream();

	stage = 1;
	while (stage != 2)
		;
	put<<<1, N, 0, b>>>(shared_data, 0x22);
	CHECK(cudaStreamSynchronize(b));
	return nullptr;
}

// Threads that notify each other in a way that --hosts=strict does not accept: the second kernel is
// enqueued after the host has waited for the first one.
static int handed_over()
{
	cudaStream_t a = new_stream();
	pthread_t thread;

	shared_data = new_memory();
	pthread_create(&thread, nullptr, second_thread, nullptr);
	while (stage != 1)
		;
	put<<<1, N, 0, a>>>(shared_data, 0x11);
	CHECK(cudaStreamSynchronize(a));
	stage = 2;
	pthread_join(thread, nullptr);
	return 0;
}

static int graph()
{
	int *data = new_memory();
	cudaStream_t a = new_stream(), b = new_stream();
	cudaGraph_t made;
	cudaGraphExec_t exec;

	CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
	put<<<1, N, 0, a>>>(data, 0x11);
	CHECK(cudaStreamEndCapture(a, &made));
	CHECK(cudaGraphInstantiate(&exec, made, 0));
	CHECK(cudaGraphLaunch(exec, a));
	put<<<1, N, 0, b>>>(data, 0x22);
	fetch(data, 0);
	return 0;
}

// A graph with two branches, launched twice.
static int nodes()
{
	int *data = new_memory();
	cudaStream_t a = new_stream(), b = new_stream();
	cudaEvent_t forked, joined;
	cudaGraph_t made;
	cudaGraphExec_t exec;

	CHECK(cudaEventCreate(&forked));
	CHECK(cudaEventCreate(&joined));
	CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
	CHECK(cudaMemsetAsync(data, 0, N * sizeof(int), a));
	CHECK(cudaEventRecord(forked, a));
	CHECK(cudaStreamWaitEvent(b, forked, 0));
	put<<<1, N, 0, a>>>(data, 0x11);
	put<<<1, N, 0, b>>>(data, 0x22);
	CHECK(cudaEventRecord(joined, b));
	CHECK(cudaStreamWaitEvent(a, joined, 0));
	CHECK(cudaStreamEndCapture(a, &made));
	CHECK(cudaGraphInstantiate(&exec, made, 0));
	CHECK(cudaGraphLaunch(exec, a));
	CHECK(cudaStreamSynchronize(a));
	CHECK(cudaGraphLaunch(exec, a));
	fetch(data, 0);
	return 0;
}

// It ends only if the second kernel is the last one.
static int endless()
{
	int *data = new_memory();
	cudaStream_t a = new_stream(), b = new_stream();

	put<<<1, N, 0, a>>>(data, 0x11);
	usleep(300000);
	put<<<1, N, 0, b>>>(data, 0x22);
	while (fetch(data, 0) != 0x22)
		usleep(1000);
	return 0;
}

// It does not end by itself.
static int waits()
{
	two_kernels(0x11, 0x22);
	printf("waiting\n");
	fflush(stdout);
	pause();
	return 0;
}

// Calls itself: two processes.
static int twice()
{
	char path[4096] = "", command[4200];

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		return 9;
	snprintf(command, sizeof(command), "%s different", path);
	different();
	return system(command) != 0;
}

#define PAIR                                     \
	do {                                     \
		put<<<1, N, 0, a>>>(data, 0x11); \
		put<<<1, N, 0, b>>>(data, 0x11); \
		CHECK(cudaDeviceSynchronize());  \
	} while (0)

// More pairs than are tried, each of a line of its own: those of one line are one finding.
static int many()
{
	int *data = new_memory();
	cudaStream_t a = new_stream(), b = new_stream();

	PAIR;
	PAIR;
	PAIR;
	PAIR;
	PAIR;
	PAIR;
	PAIR;
	PAIR;
	PAIR;
	PAIR;
	PAIR;
	PAIR;
	PAIR;
	PAIR;
	PAIR;
	PAIR;
	PAIR;
	PAIR;
	return 0;
}

static const struct {
	const char *name;
	int (*run)();
} scenarios[] = {
	{"different", different},   {"equal", equal},		{"prints", prints},
	{"exits", exits},	    {"unsteady", unsteady},	{"input", input},
	{"scatters", scatters},	    {"read_early", read_early}, {"write_early", write_early},
	{"both_write", both_write}, {"pageable", pageable},	{"handed_over", handed_over},
	{"graph", graph},	    {"nodes", nodes},		{"endless", endless},
	{"twice", twice},	    {"waits", waits},		{"many", many},
};

int main(int argc, char **argv)
{
	for (const auto &s : scenarios)
		if (argc == 2 && !strcmp(argv[1], s.name))
			return s.run();
	return 9;
}
