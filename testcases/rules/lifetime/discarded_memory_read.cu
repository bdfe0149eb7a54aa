// Managed memory is discarded, and copied before anything was written into it again.
// expect: SC-138 at=copy_out proven order=none
// expect[FIXED]: clean
#include "testcases/driver.h"

int main()
{
	size_t bytes = 1 << 16;
	float *h_back = pinned(bytes);
	cudaStream_t stream;
	void *data;

	auto discard = DRIVER(cuMemDiscardBatchAsync);

	CHECK(cudaMallocManaged(&data, bytes));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(data, 0, bytes, stream));
	CUdeviceptr address = (CUdeviceptr)data;
	DRIVER_CHECK(discard(&address, &bytes, 1, 0, stream));
#ifdef FIXED
	CHECK(cudaMemsetAsync(data, 0, bytes, stream));
#endif
	CHECK(cudaMemcpyAsync(h_back, data, bytes, cudaMemcpyDeviceToHost, stream)); // @copy_out
	CHECK(cudaStreamSynchronize(stream));
#ifdef FIXED
	verify(h_back, 0, bytes / sizeof(float));
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
