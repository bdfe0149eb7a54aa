// An event is recorded in the default stream to mark a step of one stream; it holds up both.
// expect: SC-327 at=mark proven
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 12, rounds = 8;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_left = on_device(bytes), *d_right = on_device(bytes), *d_count = on_device(bytes);
	cudaStream_t left, right, side;
	cudaEvent_t event;

	CHECK(cudaMemset(d_left, 0, bytes));
	CHECK(cudaMemset(d_right, 0, bytes));
	CHECK(cudaMemset(d_count, 0, bytes));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamCreate(&left));
	CHECK(cudaStreamCreate(&right));
	CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	for (int i = 0; i < rounds; i++) {
		add<<<blocks_for(N), threads, 0, left>>>(d_left, 1, N);
		add<<<blocks_for(N), threads, 0, right>>>(d_right, 1, N);
#ifdef FIXED
		CHECK(cudaEventRecord(event, left));
#else
		CHECK(cudaEventRecord(event, 0)); // @mark
#endif
		CHECK(cudaStreamWaitEvent(side, event, 0));
		add<<<blocks_for(N), threads, 0, side>>>(d_count, 1, N);
	}
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(h_back, d_count, bytes, cudaMemcpyDeviceToHost));
	verify_kernel(h_back, rounds, N);
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(left));
	CHECK(cudaStreamDestroy(right));
	CHECK(cudaStreamDestroy(side));
	CHECK(cudaFree(d_left));
	CHECK(cudaFree(d_right));
	CHECK(cudaFree(d_count));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
