// An event is recorded again after its waiters were enqueued: they wait for the first record.
// (15.5 item 14)
// expect: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes), *d_other = on_device(bytes);
	cudaStream_t first, second;
	cudaEvent_t event;

	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, first));
	CHECK(cudaEventRecord(event, first));
	CHECK(cudaStreamWaitEvent(second, event, 0));
	CHECK(cudaMemsetAsync(d_other, 0, bytes, first));
	CHECK(cudaEventRecord(event, first));
	add<<<blocks_for(N), threads, 0, second>>>(d_data, 14, N);
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, second));
	CHECK(cudaStreamSynchronize(second));
	verify_kernel(h_back, 14, N);
	CHECK(cudaEventSynchronize(event));
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(d_other));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
