// A stream that a capture was forked into is destroyed while the capture goes on, before its work
// is joined or (-DBEFORE) after that. Its nodes stay. A handle that died must not be asked about by
// anybody, and another stream may have it at once.
// expect: clean
// expect[BEFORE]: clean
// expect[RACY]: SC-134 at=beside proven order=join
#include "testcases/common.h"

static const size_t bytes = 1 << 16;

int main()
{
	float *d_first = on_device(bytes), *d_second = on_device(bytes);
	cudaStream_t stream, fork, other;
	cudaEvent_t forked, joined;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&fork));
	CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemsetAsync(d_first, 0, bytes, stream));
	CHECK(cudaEventRecord(forked, stream));
	CHECK(cudaStreamWaitEvent(fork, forked, 0));
	CHECK(cudaMemsetAsync(d_second, 0, bytes, fork));
	CHECK(cudaEventRecord(joined, fork));
#ifdef BEFORE
	CHECK(cudaStreamWaitEvent(stream, joined, 0));
#endif
	CHECK(cudaStreamDestroy(fork));
	CHECK(cudaStreamCreate(&other));
#ifdef RACY
	CHECK(cudaMemsetAsync(d_second, 1, bytes, stream)); // @beside
#endif
#ifndef BEFORE
	CHECK(cudaStreamWaitEvent(stream, joined, 0));
#endif
	CHECK(cudaMemcpyAsync(d_first, d_second, bytes, cudaMemcpyDeviceToDevice, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaEventDestroy(forked));
	CHECK(cudaEventDestroy(joined));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_first));
	CHECK(cudaFree(d_second));
	return 0;
}
