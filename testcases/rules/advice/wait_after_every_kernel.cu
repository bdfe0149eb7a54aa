// The host waits after each kernel, only to launch the next one.
// expect: SC-322 at=wait proven
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
	CHECK(cudaEventRecord(event, other));
	for (int i = 0; i < rounds; i++) {
		add<<<blocks_for(N), threads, 0, stream>>>(d_data, 1, N);
#ifndef FIXED
		CHECK(cudaStreamSynchronize(stream)); // @wait
#endif
	}
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
