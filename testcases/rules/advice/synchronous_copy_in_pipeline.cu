// A synchronous copy holds the host and both streams in the middle of a pipeline, again and
// again.
// expect: SC-310 at=copy_out proven
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
		CHECK(cudaMemcpyAsync(h_back, d_left, bytes, cudaMemcpyDeviceToHost, left));
		CHECK(cudaStreamSynchronize(left));
#else
		CHECK(cudaMemcpy(h_back, d_left, bytes, cudaMemcpyDeviceToHost)); // @copy_out
#endif
		verify_kernel(h_back, i + 1, N);
	}
	CHECK(cudaMemcpy(h_back, d_right, bytes, cudaMemcpyDeviceToHost));
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
