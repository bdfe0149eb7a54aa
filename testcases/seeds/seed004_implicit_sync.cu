// "Implicit Synchronization": allocating pinned memory is said to synchronize. Nothing promises
// that, so the read behind cudaMallocHost comes too early.
// expect: SC-101 at=read proven order=none
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *h_back = pinned(bytes), *h_more;
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	fill(h_data, 5, N);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaMallocHost(&h_more, bytes));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
	verify(h_back, 5, N);
#else
	printf("sum %g\n", sum(h_back, N)); // @read
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	CHECK(cudaFreeHost(h_more));
	return 0;
}
