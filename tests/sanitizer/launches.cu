// Launches whose bytes are recorded through the Sanitizer API: several streams, many at once,
// modules that are unloaded, and graphs of several shapes. The first argument is the scenario. Each
// kernel writes, of each node a buffer of its own, as many words as its number says.
#include <dlfcn.h>
#include <semaphore.h>
#include <thread>
#include "testcases/driver.h"
#include "testcases/module.h"

static const int BUFFERS = 80, WORDS = 256;

static __global__ void put(int *data, int words)
{
	for (int i = threadIdx.x; i < words; i += blockDim.x)
		data[i] = words;
}

static int *buffer[BUFFERS];
static int expected[BUFFERS]; // words that were written

static void make_buffers(void)
{
	for (int i = 0; i < BUFFERS; i++) {
		CHECK(cudaMalloc(&buffer[i], WORDS * sizeof(int)));
		CHECK(cudaMemset(buffer[i], 0, WORDS * sizeof(int)));
	}
	CHECK(cudaDeviceSynchronize());
}

static int words_of(int number)
{
	return 8 + number;
}

static void launch(int number, cudaStream_t stream)
{
	put<<<1, 32, 0, stream>>>(buffer[number], words_of(number));
	CHECK(cudaGetLastError());
	expected[number] = words_of(number);
}

static void check_buffers(void)
{
	int host[WORDS];

	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < BUFFERS; i++) {
		CHECK(cudaMemcpy(host, buffer[i], sizeof(host), cudaMemcpyDeviceToHost));
		for (int k = 0; k < WORDS; k++)
			if (host[k] != (k < expected[i] ? expected[i] : 0)) {
				printf("word %d of buffer %d is wrong\n", k, i);
				exit(EXIT_WRONG);
			}
	}
}

static cudaStream_t new_stream(void)
{
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	return stream;
}

static cudaEvent_t new_event(void)
{
	cudaEvent_t event;

	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	return event;
}

static void streams(void)
{
	cudaStream_t all[6] = {new_stream(), new_stream(),     new_stream(),
			       new_stream(), cudaStreamLegacy, cudaStreamPerThread};

	for (int i = 0; i < 48; i++)
		launch(i, all[i % 6]);
}

// Of several host threads at once, each in a stream of its own.
static void threads(void)
{
	std::thread all[4];

	for (int t = 0; t < 4; t++)
		all[t] = std::thread([t] {
			cudaStream_t stream = new_stream();

			for (int i = t; i < 48; i += 4)
				launch(i, stream);
		});
	for (std::thread &thread : all)
		thread.join();
}

// Of two devices, each with memory for its recordings.
static void devices(void)
{
	need_devices(2);
	launch(0, 0);
	CHECK(cudaSetDevice(1));
	CHECK(cudaMalloc(&buffer[1], WORDS * sizeof(int)));
	CHECK(cudaMemset(buffer[1], 0, WORDS * sizeof(int)));
	launch(1, 0);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaSetDevice(0));
	launch(2, 0);
}

// The context comes back with the same handle, and without anything that it had.
static void reset(void)
{
	launch(0, new_stream());
	launch(1, 0);
	CHECK(cudaDeviceSynchronize()); // a reset is waited for two seconds
	CHECK(cudaDeviceReset());
	memset(expected, 0, sizeof(expected));
	make_buffers();
	launch(2, new_stream());
	launch(3, 0);
}

// More contexts one after the other than have recordings at once.
static void resets(void)
{
	for (int i = 0; i < 20; i++) {
		launch(0, 0);
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaDeviceReset());
		memset(expected, 0, sizeof(expected));
		make_buffers();
	}
}

static void wait_for(void *gate)
{
	while (sem_wait((sem_t *)gate))
		;
}

// More launches than are recorded at once, all in one stream that does not begin.
static void queued(void)
{
	cudaStream_t stream = new_stream();
	sem_t gate;

	sem_init(&gate, 0, 0);
	CHECK(cudaLaunchHostFunc(stream, wait_for, &gate));
	for (int i = 0; i < 300; i++)
		launch(i % BUFFERS, stream);
	sem_post(&gate);
	CHECK(cudaStreamSynchronize(stream));
	sem_destroy(&gate);
}

// A module that comes back has another one's handle.
static void unloaded(void)
{
	void *parameters[] = {&buffer[0]};
	CUfunction store;
	CUmodule module;

	for (int i = 0; i < 5; i++) {
		DRIVER_CHECK(DRIVER(cuModuleLoadData)(&module, MODULE_PTX));
		DRIVER_CHECK(DRIVER(cuModuleGetFunction)(&store, module, "store"));
		DRIVER_CHECK(
			DRIVER(cuLaunchKernel)(store, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
		CHECK(cudaDeviceSynchronize());
		DRIVER_CHECK(DRIVER(cuModuleUnload)(module));
		CHECK(cudaMemset(buffer[0], 0, WORDS * sizeof(int)));
	}
}

static cudaStream_t begin(void)
{
	cudaStream_t stream = new_stream();

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	return stream;
}

// PyTorch instantiates its graphs with the flag, and destroys them then.
static cudaGraphExec_t end(cudaStream_t stream, bool is_copy)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph,
				   is_copy ? cudaGraphInstantiateFlagAutoFreeOnLaunch : 0));
	CHECK(cudaGraphDestroy(graph));
	return exec;
}

static void run(cudaGraphExec_t exec, int times)
{
	cudaStream_t all[] = {new_stream(), new_stream()};

	for (int i = 0; i < times; i++) {
		CHECK(cudaGraphLaunch(exec, all[i % 2]));
		CHECK(cudaStreamSynchronize(all[i % 2]));
	}
}

static void chain(int nodes, bool is_copy)
{
	cudaStream_t stream = begin();

	for (int i = 0; i < nodes; i++)
		launch(i, stream);
	run(end(stream, is_copy), 3);
}

// Uploads launch nothing, and other nodes than kernels have no bytes here.
static void mixed(void)
{
	cudaStream_t stream = begin();
	cudaGraphExec_t exec;

	launch(0, stream);
	CHECK(cudaMemsetAsync(buffer[BUFFERS - 1], 0, WORDS * sizeof(int), stream));
	launch(2, stream);
	exec = end(stream, true);
	CHECK(cudaGraphUpload(exec, 0));
	run(exec, 2);
}

static void branched(bool is_copy)
{
	cudaStream_t stream = begin(), side = new_stream();
	cudaEvent_t fork = new_event(), join = new_event();

	launch(0, stream);
	CHECK(cudaEventRecord(fork, stream));
	CHECK(cudaStreamWaitEvent(side, fork, 0));
	launch(1, side);
	launch(2, side);
	launch(3, stream);
	CHECK(cudaEventRecord(join, side));
	CHECK(cudaStreamWaitEvent(stream, join, 0));
	launch(4, stream);
	run(end(stream, is_copy), 2);
}

// The second of three nodes is off in the first two launches, and on again in the third.
static void switched(bool is_copy)
{
	cudaGraphNode_t nodes[3];
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	size_t count = 3;
	cudaStream_t stream = begin();

	for (int i = 0; i < 3; i++)
		launch(i, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphGetNodes(graph, nodes, &count));
	CHECK(cudaGraphInstantiate(&exec, graph,
				   is_copy ? cudaGraphInstantiateFlagAutoFreeOnLaunch : 0));
	CHECK(cudaGraphNodeSetEnabled(exec, nodes[1], 0));
	run(exec, 2);
	CHECK(cudaGraphNodeSetEnabled(exec, nodes[1], 1));
	run(exec, 1);
}

static void hear(void *, int, unsigned, const void *)
{
}

// Another tool, which is there before anything is recorded.
__attribute__((constructor)) static void listen(void)
{
	typedef int subscribe(void **, void (*)(void *, int, unsigned, const void *), void *);
	void *driver = getenv("LISTENED") ? dlopen("libcuda.so.1", RTLD_LAZY) : NULL, *handle;
	subscribe *call = driver ? (subscribe *)dlsym(driver, "simulated_cuptiSubscribe") : NULL;

	if (call && call(&handle, hear, NULL))
		exit(EXIT_WRONG);
}

static const struct scenario {
	const char *name;
	void (*run)(void);
} scenarios[] = {
	{"streams", streams},
	{"threads", threads},
	{"queued", queued},
	{"devices", devices},
	{"reset", reset},
	{"resets", resets},
	{"mixed", mixed},
	{"unloaded", unloaded},
	{"chain", [] { chain(5, false); }},
	{"chain_of_copies", [] { chain(5, true); }},
	{"long_chain", [] { chain(70, false); }},
	{"branched", [] { branched(false); }},
	{"branched_copies", [] { branched(true); }},
	{"switched", [] { switched(false); }},
	{"switched_copies", [] { switched(true); }},
};

int main(int argc, char **argv)
{
	make_buffers();
	for (const struct scenario &s : scenarios)
		if (argc > 1 && !strcmp(argv[1], s.name)) {
			s.run();
			check_buffers();
			return 0;
		}
	fprintf(stderr, "usage: launches SCENARIO\n");
	return 1;
}
