// Two threads launch one executable graph; that the second one comes later is left to a flag that
// is not seen.
// expect: SC-151 at=launch possible doubt=handed_over
// expect[FIXED]: clean
// options: hosts=strict
#include <atomic>
#include <pthread.h>
#include "testcases/common.h"

static cudaGraphExec_t exec;
static cudaStream_t stream;
static std::atomic<bool> launched;

static void *launch_later(void *)
{
	while (!launched)
		continue;
	CHECK(cudaGraphLaunch(exec, stream)); // @launch
	return NULL;
}

int main()
{
	const size_t bytes = 1 << 16;
	pthread_t other;
	cudaGraph_t graph;
	void *d_data;

	CHECK(cudaMalloc(&d_data, bytes));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
#ifndef FIXED
	pthread_create(&other, NULL, launch_later, NULL);
#endif
	CHECK(cudaGraphLaunch(exec, stream));
	launched = true;
#ifdef FIXED
	pthread_create(&other, NULL, launch_later, NULL);
#endif
	pthread_join(other, NULL);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
}
