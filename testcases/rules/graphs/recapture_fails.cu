// A program captures the work of each step into the graph that it has. A step with a copy more does
// not fit, the recapture fails, and nobody looks: the executable graph gets half of each step.
// AGAIN: the undefined graph is captured into once more. CHECKED: it is destroyed. FIXED: the step
// fits, the executable graph gets the new parameters.
// expect: SC-156 at=update proven
// expect[AGAIN]: SC-156 at=again proven
// expect[CHECKED]: clean
// expect[FIXED]: clean
#include "testcases/recapture.h"

static const size_t bytes = 1 << 16;

static cudaError_t enqueue(float *h_back, float *d_data, int value, bool more, cudaStream_t stream)
{
	cudaError_t error = cudaMemsetAsync(d_data, value, bytes, stream);

	if (error == cudaSuccess)
		error = cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream);
	if (error == cudaSuccess && more)
		error = cudaMemsetAsync(d_data, 0, bytes, stream);
	return error;
}

static cudaGraph_t capture(float *h_back, float *d_data, int value, bool more, cudaStream_t stream)
{
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(enqueue(h_back, d_data, value, more, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	return graph;
}

int main()
{
#ifdef FIXED
	const bool more = false;
#else
	const bool more = true;
#endif
	float *h_back = pinned(bytes), *d_data = on_device(bytes);
	cudaGraphExecUpdateResultInfo info;
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph, again;

	CHECK(cudaStreamCreate(&stream));
	graph = capture(h_back, d_data, 0, false, stream);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	recapture(stream, graph);
	(void)enqueue(h_back, d_data, 1, more, stream);
	if (cudaStreamEndCapture(stream, &again) != cudaSuccess)
		(void)cudaGetLastError();
#ifdef AGAIN
	recapture(stream, graph); // @again
	CHECK(enqueue(h_back, d_data, 1, false, stream));
	CHECK(cudaStreamEndCapture(stream, &again));
#endif
#ifdef CHECKED
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphExecDestroy(exec));
	graph = capture(h_back, d_data, 1, more, stream);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
#elif !defined(AGAIN)
	CHECK(cudaGraphExecUpdate(exec, graph, &info)); // @update
#endif
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	printf("%g\n", sum(h_back, 4));
	(void)info;
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
