// Streams, events, graphs and executable graphs are destroyed while their work is pending; only
// their handles die. (15.5 item 6)
// expect: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t first, second;
	cudaEvent_t event;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK(cudaStreamBeginCapture(second, cudaStreamCaptureModeGlobal));
	add<<<blocks_for(N), threads, 0, second>>>(d_data, 1, N);
	CHECK(cudaStreamEndCapture(second, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, first));
	CHECK(cudaEventRecord(event, first));
	CHECK(cudaStreamWaitEvent(second, event, 0));
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaGraphLaunch(exec, second));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, second));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaDeviceSynchronize());
	verify_kernel(h_back, 1, N);
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
