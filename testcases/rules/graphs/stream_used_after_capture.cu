// A stream was forked off a capture, as the second branch of a graph. Later it works on its own,
// and a third stream uses its result without waiting: no capture has anything to do with that.
// expect: SC-106 at=use proven order=no_event
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

static cudaGraphExec_t branches(cudaStream_t origin, cudaStream_t branch, float *left, float *right,
				int n)
{
	cudaEvent_t fork, join;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
	CHECK(cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal));
	CHECK(cudaEventRecord(fork, origin));
	CHECK(cudaStreamWaitEvent(branch, fork, 0));
	scale<<<blocks_for(n), threads, 0, origin>>>(left, 2, n);
	scale<<<blocks_for(n), threads, 0, branch>>>(right, 3, n);
	CHECK(cudaEventRecord(join, branch));
	CHECK(cudaStreamWaitEvent(origin, join, 0));
	CHECK(cudaStreamEndCapture(origin, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaEventDestroy(fork));
	CHECK(cudaEventDestroy(join));
	return exec;
}

int main()
{
	const int N = 1 << 14;
	float *left = on_device(N * sizeof(float)), *right = on_device(N * sizeof(float));
	cudaStream_t streams[3];
	cudaGraphExec_t exec;
	cudaEvent_t filled;

	for (cudaStream_t &stream : streams)
		CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
	CHECK(cudaMemsetAsync(left, 0, N * sizeof(float), streams[0]));
	CHECK(cudaMemsetAsync(right, 0, N * sizeof(float), streams[0]));
	exec = branches(streams[0], streams[1], left, right, N);
	for (int i = 0; i < 3; i++) {
		CHECK(cudaGraphLaunch(exec, streams[0]));
		CHECK(cudaStreamSynchronize(streams[0]));
		CHECK(cudaMemsetAsync(right, 0, N * sizeof(float), streams[1]));
#ifdef FIXED
		CHECK(cudaEventRecord(filled, streams[1]));
		CHECK(cudaStreamWaitEvent(streams[2], filled, 0));
#endif
		double_into<<<blocks_for(N), threads, 0, streams[2]>>>(right, left, N); // @use
		CHECK(cudaGetLastError());
		CHECK(cudaDeviceSynchronize());
	}
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaEventDestroy(filled));
	for (cudaStream_t stream : streams)
		CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(left));
	CHECK(cudaFree(right));
	return 0;
}
