// A second stream is drawn into a capture and never joined back, so the capture fails.
// expect: SC-133 at=end proven
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 12;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream, other;
	cudaEvent_t fork, joined;
	cudaGraph_t graph = NULL;
	cudaError_t ended;

	CHECK(cudaMemset(d_data, 0, bytes));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&other));
	CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaEventRecord(fork, stream));
	CHECK(cudaStreamWaitEvent(other, fork, 0));
	add<<<blocks_for(N), threads, 0, other>>>(d_data, 1, N);
#ifdef FIXED
	CHECK(cudaEventRecord(joined, other));
	CHECK(cudaStreamWaitEvent(stream, joined, 0));
#endif
	ended = cudaStreamEndCapture(stream, &graph); // @end
	if (ended == cudaSuccess) {
		cudaGraphExec_t exec;

		CHECK(cudaGraphInstantiate(&exec, graph, 0));
		CHECK(cudaGraphLaunch(exec, stream));
		CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		verify_kernel(h_back, 1, N);
		CHECK(cudaGraphExecDestroy(exec));
		CHECK(cudaGraphDestroy(graph));
	} else {
		printf("no graph: %s\n", cudaGetErrorName(ended));
	}
	CHECK(cudaEventDestroy(fork));
	CHECK(cudaEventDestroy(joined));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
