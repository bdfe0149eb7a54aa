// Launches kernels in several streams, with all that may come in between.
//
// usage: launches SEED [second]
//
// Each kernel's parameters are its number and how long it works, in nanoseconds: 4 µs and 8 µs
// times the number modulo 16, so that neighbours can be distinguished. With "second" another thread
// launches, too, from the middle on.
#include <cuda.h>
#include <atomic>
#include <thread>
#include "testcases/common.h"

static const int most_streams = 4, rounds = 1500, run = 700;
static std::atomic<int> numbers{0};

static __global__ void work(int number, int ns)
{
	unsigned long long begin, now;

	asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
	do
		asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
	while (now - begin < (unsigned long long)ns && number >= 0);
}

struct work_streams {
	cudaStream_t stream[most_streams];
	float *h_data, *d_data;
	cudaEvent_t event;
	unsigned state;
};

static unsigned draw(work_streams *w, unsigned below)
{
	w->state = w->state * 1664525u + 1013904223u;
	return (w->state >> 8) % below;
}

static void launch(work_streams *w, cudaStream_t stream)
{
	int number = ++numbers;
	int ns = 4000 + number % 16 * 8000;

	work<<<1 + draw(w, 3), 32 * (1 + draw(w, 2)), 0, stream>>>(number, ns);
	CHECK(cudaGetLastError());
}

// Two nodes of a graph, which the graph's launch represents.
static void launch_graph(work_streams *w, cudaStream_t stream)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	launch(w, stream);
	launch(w, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
}

static void fail(cudaStream_t stream)
{
	work<<<1, 4096, 0, stream>>>(0, 0);
	if (cudaGetLastError() == cudaSuccess)
		exit(1);
}

static void do_anything(work_streams *w)
{
	cudaStream_t stream = w->stream[draw(w, most_streams)];
	int version;

	switch (draw(w, 40)) {
	case 0: CHECK(cudaEventRecord(w->event, stream)); break;
	case 1: CHECK(cudaStreamWaitEvent(stream, w->event, 0)); break;
	case 2: CHECK(cudaMemsetAsync(w->d_data, 0, 4096, stream)); break;
	case 3:
		CHECK(cudaMemcpyAsync(w->h_data, w->d_data, 4096, cudaMemcpyDeviceToHost, stream));
		break;
	case 4: CHECK(cudaStreamSynchronize(stream)); break;
	case 5: CHECK(cudaDriverGetVersion(&version)); break;
	case 6: fail(stream); break;
	case 7: launch_graph(w, stream); break;
	default: launch(w, stream);
	}
}

static void use_streams(unsigned seed, int count)
{
	work_streams w = {};

	w.state = seed;
	w.h_data = pinned(4096);
	w.d_data = on_device(4096);
	CHECK(cudaEventCreateWithFlags(&w.event, cudaEventDisableTiming));
	for (int i = 0; i < most_streams; i++)
		CHECK(cudaStreamCreateWithFlags(&w.stream[i], cudaStreamNonBlocking));
	for (int i = 0; i < count; i++)
		do_anything(&w);
	for (int i = 0; i < run; i++) // nothing else in between
		launch(&w, w.stream[i % 2]);
	for (int i = 0; i < most_streams; i++) {
		CHECK(cudaStreamSynchronize(w.stream[i]));
		CHECK(cudaStreamDestroy(w.stream[i]));
	}
	CHECK(cudaEventDestroy(w.event));
	CHECK(cudaFree(w.d_data));
	CHECK(cudaFreeHost(w.h_data));
}

int main(int argc, char **argv)
{
	unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;

	use_streams(seed, rounds);
	if (argc > 2) {
		std::thread second(use_streams, seed + 1, rounds);

		use_streams(seed + 2, rounds);
		second.join();
	}
	printf("%d\n", numbers.load());
	return 0;
}
