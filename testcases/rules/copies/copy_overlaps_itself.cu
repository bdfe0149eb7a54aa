// A copy moves a buffer by one element, within itself.
// expect: SC-119 at=copy proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes), *d_moved = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
#ifdef FIXED
	CHECK(cudaMemcpyAsync(d_moved, d_data, bytes - sizeof(float), cudaMemcpyDeviceToDevice,
			      stream));
	CHECK(cudaMemcpyAsync(d_data + 1, d_moved, bytes - sizeof(float), cudaMemcpyDeviceToDevice,
			      stream));
#else
	CHECK(cudaMemcpyAsync(d_data + 1, d_data, bytes - sizeof(float), cudaMemcpyDeviceToDevice,
			      stream)); // @copy
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	verify(h_back, 0, N);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(d_moved));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
