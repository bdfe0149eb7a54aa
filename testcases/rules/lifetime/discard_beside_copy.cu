// One stream copies managed memory while another one discards it.
// expect: SC-138 at=discard proven order=no_event
// expect[FIXED]: clean
#include "testcases/driver.h"

int main()
{
	size_t bytes = 1 << 16;
	float *h_back = pinned(bytes);
	cudaStream_t first, second;
	cudaEvent_t copied;
	void *data;

	auto discard = DRIVER(cuMemDiscardBatchAsync);

	CHECK(cudaMallocManaged(&data, bytes));
	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
	CHECK(cudaMemsetAsync(data, 0, bytes, first));
	CHECK(cudaStreamSynchronize(first));
	CHECK(cudaMemcpyAsync(h_back, data, bytes, cudaMemcpyDeviceToHost, first));
#ifdef FIXED
	CHECK(cudaEventRecord(copied, first));
	CHECK(cudaStreamWaitEvent(second, copied, 0));
#endif
	CUdeviceptr address = (CUdeviceptr)data;
	DRIVER_CHECK(discard(&address, &bytes, 1, 0, second)); // @discard
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	verify(h_back, 0, bytes / sizeof(float));
#endif
	CHECK(cudaEventDestroy(copied));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
