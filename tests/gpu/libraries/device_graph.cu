// A kernel of a graph launches another graph, which fills what another stream copies. No call shows
// that launch, so nothing is found (SC-137), and the report says what is missing.
//
// No graph is reported as used only once, since device-side launches are not counted.
// nvcc: -rdc=true -lcudadevrt
// missing: launches of graphs by the device itself
// expect: clean
#include "testcases/common.h"

static __global__ void fire(cudaGraphExec_t exec)
{
	cudaGraphLaunch(exec, cudaStreamGraphFireAndForget);
}

static cudaGraphExec_t instantiate(cudaGraph_t graph, unsigned long long flags, cudaStream_t stream)
{
	cudaGraphExec_t exec;

	CHECK(cudaGraphInstantiate(&exec, graph, flags));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphUpload(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	return exec;
}

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *d_data = on_device(bytes), *h_back = pinned(bytes);
	cudaGraphExec_t inner, outer;
	cudaStream_t stream, other;
	cudaGraph_t graph;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	inner = instantiate(graph, cudaGraphInstantiateFlagDeviceLaunch, stream);
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	fire<<<1, 1, 0, stream>>>(inner);
	CHECK(cudaGetLastError());
	CHECK(cudaStreamEndCapture(stream, &graph));
	outer = instantiate(graph, 0, stream);
	for (int i = 0; i < 2; i++)
		CHECK(cudaGraphLaunch(outer, stream));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, other));
	CHECK(cudaStreamSynchronize(other));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(outer));
	CHECK(cudaGraphExecDestroy(inner));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
