// The host refills the source of a copy that may not have read it yet.
// expect: SC-102 at=write proven order=none
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *h_back = pinned(bytes);
	float *d_first = on_device(bytes), *d_second = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	fill(h_data, 1, N);
	CHECK(cudaMemcpyAsync(d_first, h_data, bytes, cudaMemcpyHostToDevice, stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	fill(h_data, 2, N); // @write
	CHECK(cudaMemcpyAsync(d_second, h_data, bytes, cudaMemcpyHostToDevice, stream));
	CHECK(cudaMemcpyAsync(h_back, d_first, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
#ifdef FIXED
	verify(h_back, 1, N);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_first));
	CHECK(cudaFree(d_second));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
