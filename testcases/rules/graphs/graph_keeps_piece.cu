// A graph keeps the address of a buffer that goes back to its pool before the next launch.
// expect: SC-136 at=fill proven
// expect[FIXED]: clean
#include "include/streamcheck/streamcheck.h"
#include "testcases/common.h"

__global__ void fill(float *data, float value)
{
	data[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main()
{
	const int blocks = 64;
	const size_t bytes = blocks * 256 * sizeof(float);
	float *block, *piece;
	cudaStream_t s;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaMalloc(&block, 4 * bytes));
	CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	piece = block + blocks * 256;
	streamcheck_pool_allocate(piece, bytes, s);
	CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	fill<<<blocks, 256, 0, s>>>(piece, 1); // @fill
	CHECK(cudaStreamEndCapture(s, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, s));
#ifndef FIXED
	streamcheck_pool_free(piece, s);
#endif
	CHECK(cudaGraphLaunch(exec, s));
	CHECK(cudaStreamSynchronize(s));
#ifdef FIXED
	streamcheck_pool_free(piece, s);
#endif
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(s));
	CHECK(cudaFree(block));
	return 0;
}
