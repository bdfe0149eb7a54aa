// The event is recorded before the work that the other stream needs: the wait is for the earlier
// copy only.
// expect: SC-106 cause=SC-111 at=copy_out proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *h_back = pinned(bytes);
	float *d_other = on_device(bytes), *d_data = on_device(bytes);
	cudaStream_t producer, consumer;
	cudaEvent_t ready;

	fill(h_data, 6, N);
	CHECK(cudaStreamCreate(&producer));
	CHECK(cudaStreamCreate(&consumer));
	CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
	CHECK(cudaMemcpyAsync(d_other, h_data, bytes, cudaMemcpyHostToDevice, producer));
#ifndef FIXED
	CHECK(cudaEventRecord(ready, producer));
#endif
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, producer));
#ifdef FIXED
	CHECK(cudaEventRecord(ready, producer));
#endif
	CHECK(cudaStreamWaitEvent(consumer, ready, 0));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost,
			      consumer)); // @copy_out
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	verify(h_back, 6, N);
#endif
	CHECK(cudaEventDestroy(ready));
	CHECK(cudaStreamDestroy(producer));
	CHECK(cudaStreamDestroy(consumer));
	CHECK(cudaFree(d_other));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
