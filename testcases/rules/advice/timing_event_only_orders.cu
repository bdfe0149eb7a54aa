// An event that was created with timing orders two streams a hundred times and never measures.
// expect: SC-307 at=create proven
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
#ifdef FIXED
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
#else
	CHECK(cudaEventCreate(&event)); // @create
#endif
	for (int i = 0; i < rounds; i++) {
		add<<<blocks_for(N), threads, 0, other>>>(d_other, 1, N);
		CHECK(cudaEventRecord(event, other));
		CHECK(cudaStreamWaitEvent(stream, event, 0));
		add<<<blocks_for(N), threads, 0, stream>>>(d_data, 1, N);
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
