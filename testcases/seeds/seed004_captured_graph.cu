// "Introduction to CUDA Graphs with Stream Capture": copy, kernel and copy are captured, nothing
// runs until the graph is launched, and the host waits for the launches: right.
// expect: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
	scale<<<blocks_for(N), threads, 0, stream>>>(d_data, 2, N);
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	fill(h_data, 3, N);
	for (int i = 0; i < 2; i++) {
		CHECK(cudaGraphLaunch(exec, stream));
		CHECK(cudaStreamSynchronize(stream));
		verify(h_back, runs_kernels() ? 6 : 3, N);
	}
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
