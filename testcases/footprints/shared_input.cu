// Two streams read one input, each with an output of its own. The racy one gives both one output.
// expect: SC-105 at=second proven order=no_event
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16;
	float *h_back = pinned(N * sizeof(float));
	float *d_in = on_device(N * sizeof(float));
	float *d_out1 = on_device(N * sizeof(float)), *d_out2 = on_device(N * sizeof(float));
	cudaStream_t stream1, stream2;
#ifdef FIXED
	float *target = d_out2;
#else
	float *target = d_out1;
#endif

	CHECK(cudaMemset(d_in, 0, N * sizeof(float)));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamCreate(&stream1));
	CHECK(cudaStreamCreate(&stream2));
	double_into<<<blocks_for(N), threads, 0, stream1>>>(d_in, d_out1, N);
	CHECK(cudaGetLastError());
	double_into<<<blocks_for(N), threads, 0, stream2>>>(d_in, target, N); // @second
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(h_back, d_out1, N * sizeof(float), cudaMemcpyDeviceToHost));
	verify_kernel(h_back, 0, N);
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	CHECK(cudaFree(d_in));
	CHECK(cudaFree(d_out1));
	CHECK(cudaFree(d_out2));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
