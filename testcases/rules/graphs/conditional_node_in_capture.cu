// A conditional node is added to a capture, and its body captured: what the body does is known, so
// that (-DRACY) a race with it is reported, and nothing is missing otherwise.
// expect: clean
// expect[RACY]: SC-134 at=beside possible doubt=conditional_body
#include "testcases/conditional.h"

static const size_t bytes = 1 << 16;

int main()
{
	float *d_data = on_device(bytes);
	cudaStream_t stream, inner, other;
	cudaEvent_t forked, joined;
	cudaGraphExec_t exec;
	cudaGraph_t graph, body;
	cudaGraphConditionalHandle handle;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&inner));
	CHECK(cudaStreamCreate(&other));
	CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaEventRecord(forked, stream));
	body = add_conditional(stream, cudaGraphCondTypeIf, 1, &handle);
	CHECK(cudaStreamBeginCaptureToGraph(inner, body, NULL, NULL, 0,
					    cudaStreamCaptureModeGlobal));
	CHECK(cudaMemsetAsync(d_data, 1, bytes, inner));
	CHECK(cudaStreamEndCapture(inner, NULL));
#ifdef RACY
	CHECK(cudaStreamWaitEvent(other, forked, 0));
	CHECK(cudaMemsetAsync(d_data, 2, bytes, other)); // @beside
	CHECK(cudaEventRecord(joined, other));
	CHECK(cudaStreamWaitEvent(stream, joined, 0));
#endif
	CHECK(cudaMemsetAsync(d_data, 3, bytes, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaEventDestroy(forked));
	CHECK(cudaEventDestroy(joined));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(inner));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaFree(d_data));
	return 0;
}
