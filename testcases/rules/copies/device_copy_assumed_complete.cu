// cudaMemset is synchronous by its name only: it returns before the device is done, and a
// non-blocking stream does not wait for it.
// expect: SC-106 cause=SC-109 at=copy_out proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	fill(h_back, 9, N);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMemset(d_data, 0, bytes));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(0));
#endif
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
