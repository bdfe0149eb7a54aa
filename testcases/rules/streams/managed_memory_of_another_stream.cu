// Managed memory is attached to one stream, and another one uses it, on a device where host and
// kernels cannot use such memory at the same time.
// expect: SC-131 at=fill proven
// expect[FIXED]: clean
// env: STREAMCHECK_SIM_CONCURRENT_MANAGED=0
#include "testcases/common.h"

int main()
{
	const size_t bytes = 1 << 16;
	cudaStream_t first, second;
	float *data;
	int shares = 0;

	CHECK(cudaDeviceGetAttribute(&shares, cudaDevAttrConcurrentManagedAccess, 0));
	if (shares) {
		printf("host and kernels share managed memory here\n");
		exit(EXIT_SKIPPED);
	}
	CHECK(cudaMallocManaged(&data, bytes));
	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	CHECK(cudaStreamAttachMemAsync(first, data, 0, cudaMemAttachSingle));
	CHECK(cudaStreamSynchronize(first));
#ifdef FIXED
	CHECK(cudaMemsetAsync(data, 0, bytes, first));
#else
	CHECK(cudaMemsetAsync(data, 0, bytes, second)); // @fill
#endif
	CHECK(cudaDeviceSynchronize());
	verify(data, 0, bytes / sizeof(float));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(data));
	return 0;
}
