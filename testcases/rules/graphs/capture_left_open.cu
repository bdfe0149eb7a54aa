// An early return leaves a capture open: nothing that was captured ever runs.
// expect: SC-402 at=begin proven
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 12;
	float *d_data = on_device(N * sizeof(float));
	cudaStream_t stream;
	cudaGraph_t graph;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)); // @begin
	add<<<blocks_for(N), threads, 0, stream>>>(d_data, 1, N);
#ifndef FIXED
	if (d_data)
		return 0; // somebody took this for the error path
#endif
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
}
