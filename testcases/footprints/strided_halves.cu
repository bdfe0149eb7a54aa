// Two streams work on the two halves of one buffer. The racy one begins its second half one block
// too early.
// expect: SC-105 at=second proven order=no_event
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16, half = N / 2;
	float *h_back = pinned(N * sizeof(float));
	float *d_data = on_device(N * sizeof(float));
	cudaStream_t stream1, stream2;
#ifdef FIXED
	const int begin = half;
#else
	const int begin = half - threads;
#endif

	CHECK(cudaMemset(d_data, 0, N * sizeof(float)));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamCreate(&stream1));
	CHECK(cudaStreamCreate(&stream2));
	add<<<blocks_for(half), threads, 0, stream1>>>(d_data, 1, half);
	CHECK(cudaGetLastError());
	add<<<blocks_for(half), threads, 0, stream2>>>(d_data + begin, 1, half); // @second
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(h_back, d_data, N * sizeof(float), cudaMemcpyDeviceToHost));
#ifdef FIXED
	verify_kernel(h_back, 1, N);
#endif
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
