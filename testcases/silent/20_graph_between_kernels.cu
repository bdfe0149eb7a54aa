// A kernel, a graph and a kernel in one stream: full order at both ends of the graph. (15.5 item
// 20)
// expect: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	scale<<<blocks_for(N), threads, 0, stream>>>(d_data, 2, N);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	add<<<blocks_for(N), threads, 0, stream>>>(d_data, 5, N);
	CHECK(cudaGraphLaunch(exec, stream));
	add<<<blocks_for(N), threads, 0, stream>>>(d_data, 10, N);
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	verify_kernel(h_back, 20, N);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
