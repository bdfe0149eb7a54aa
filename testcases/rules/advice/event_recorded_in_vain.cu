// A loop records an event that nothing ever waits for.
// expect: SC-306 at=record proven
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 12, rounds = 100;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes), *d_other = on_device(bytes);
	cudaStream_t stream, other;
	cudaEvent_t event;

	CHECK(cudaMemset(d_data, 0, bytes));
	CHECK(cudaMemset(d_other, 0, bytes));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&other));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	for (int i = 0; i < rounds; i++) {
		add<<<blocks_for(N), threads, 0, stream>>>(d_data, 1, N);
#ifndef FIXED
		CHECK(cudaEventRecord(event, stream)); // @record
#endif
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(h_back, d_data, bytes, cudaMemcpyDeviceToHost));
	verify_kernel(h_back, rounds, N);
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(d_other));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
