// What a recorder meets: two processes, threads, streams, a graph, code that is loaded, the host.
// With -DFIXED all is ordered. What is printed is the same in every run, with and without a
// recorder.
#include <errno.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include "testcases/driver.h"
#include "testcases/module.h"

#define VALUES 4096
#define BYTES  (VALUES * sizeof(int))

#ifdef FIXED
#define ORDERED(call) CHECK(call)
#else
#define ORDERED(call)
#endif

// The recorder is to leave errno as the call does.
#define KEEPS(call)                                                  \
	do {                                                         \
		errno = 77;                                          \
		CHECK(call);                                         \
		if (errno != 77)                                     \
			printf("errno %d after " #call "\n", errno); \
	} while (0)

static __global__ void fill(int *out, int value)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static void print_sum(const char *what, const int *values)
{
	long sum = 0;

	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < VALUES; i++)
		sum += values[i];
	printf("%s %ld\n", what, sum);
}

HOST_LOOP int first_value(const volatile int *values)
{
	return values[0];
}

// A kernel in one stream, a copy in another, the host after it.
static void use_streams(int *host)
{
	cudaStream_t a, b;
	cudaEvent_t done;
	int *data;

	CHECK(cudaStreamCreate(&a));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&done));
	CHECK(cudaMalloc(&data, BYTES));
	fill<<<VALUES / 256, 256, 0, a>>>(data, 1);
	KEEPS(cudaGetLastError());
	KEEPS(cudaEventRecord(done, a));
	ORDERED(cudaStreamWaitEvent(b, done, 0));
	KEEPS(cudaMemcpyAsync(host, data, BYTES, cudaMemcpyDeviceToHost, b));
	ORDERED(cudaStreamSynchronize(b));
	first_value(host);
	CHECK(cudaDeviceSynchronize());
	fill<<<VALUES / 256, 256, 0, a>>>(data, 2);
	KEEPS(cudaMemcpyAsync(host, data, BYTES, cudaMemcpyDeviceToHost, a));
	print_sum("streams", host);
	CHECK(cudaFree(data));
	CHECK(cudaEventDestroy(done));
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
}

// A thread's own stream and memory: the host overwrites what a copy reads.
static void use_thread(int *host, int value)
{
	cudaStream_t stream;
	int *data;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&data, BYTES));
	KEEPS(cudaMemcpyAsync(data, host, BYTES, cudaMemcpyHostToDevice, stream));
	ORDERED(cudaStreamSynchronize(stream));
	((volatile int *)host)[0] = value;
	KEEPS(cudaStreamSynchronize(stream));
	KEEPS(cudaMemsetAsync(data, 0, BYTES, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaFree(data));
	CHECK(cudaStreamDestroy(stream));
}

static void use_threads()
{
	int *host[2];

	for (int i = 0; i < 2; i++)
		CHECK(cudaMallocHost(&host[i], BYTES));
	for (int i = 0; i < 2; i++)
		std::thread(use_thread, host[i], i + 1).join();
	printf("threads %d %d\n", host[0][0], host[1][0]);
	for (int i = 0; i < 2; i++)
		CHECK(cudaFreeHost(host[i]));
}

// A graph's launch, and a copy of what it fills.
static void use_graph(int *host)
{
	cudaStream_t stream, other;
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	int *data;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&data, BYTES));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	fill<<<VALUES / 256, 256, 0, stream>>>(data, 3);
	CHECK(cudaMemsetAsync(data, 0, BYTES / 2, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	KEEPS(cudaGraphLaunch(exec, stream));
	ORDERED(cudaStreamSynchronize(stream));
	KEEPS(cudaMemcpyAsync(host, data, BYTES, cudaMemcpyDeviceToHost, other));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(host, data, BYTES, cudaMemcpyDeviceToHost));
	print_sum("graph", host);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaFree(data));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
}

// A kernel of a module, and a fill by another stream.
static void use_module(int *host)
{
	cudaStream_t stream, other;
	CUfunction function;
	CUmodule module;
	int *data;
	void *arguments[] = {&data};

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&data, BYTES));
	DRIVER_CHECK(DRIVER(cuModuleLoadData)(&module, MODULE_PTX));
	DRIVER_CHECK(DRIVER(cuModuleGetFunction)(&function, module, "store"));
	CHECK(cudaMemsetAsync(data, 0, BYTES, other));
	ORDERED(cudaStreamSynchronize(other));
	DRIVER_CHECK(
		DRIVER(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(host, data, BYTES, cudaMemcpyDeviceToHost));
	printf("module %d\n", host[1]);
	DRIVER_CHECK(DRIVER(cuModuleUnload)(module));
	CHECK(cudaFree(data));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
}

static void use_all()
{
	int *host;

	CHECK(cudaMallocHost(&host, BYTES));
	use_streams(host);
	use_threads();
	use_graph(host);
	use_module(host);
	CHECK(cudaFreeHost(host));
}

static void use_streams_alone()
{
	int *host;

	CHECK(cudaMallocHost(&host, BYTES));
	use_streams(host);
}

// With an argument only streams are used, in one process; with "waiting" it then waits until its
// standard input ends. CUDA does not survive a fork: the child begins before it.
int main(int argc, char **argv)
{
	int status = 0;
	pid_t child = argc > 1 ? -1 : fork();

	if (child <= 0) {
		use_streams_alone();
		fflush(stdout);
		if (argc > 1 && !strcmp(argv[1], "waiting"))
			getchar();
		exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		printf("the child ended with %x\n", status);
	use_all();
	return 0;
}
