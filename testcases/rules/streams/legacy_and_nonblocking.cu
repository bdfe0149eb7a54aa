// A memset in the default stream, a copy in a non-blocking stream: the default stream is no barrier
// for it.
// expect: SC-106 cause=SC-107 at=copy_out proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;

#ifdef FIXED
	CHECK(cudaStreamCreate(&stream));
#else
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
#endif
	fill(h_back, 9, N);
	CHECK(cudaMemsetAsync(d_data, 0, bytes, 0));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream)); // @copy_out
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
	verify(h_back, 0, N);
#else
	CHECK(cudaDeviceSynchronize());
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
