// The consumer waits for the event before the producer records it. Such a wait returns at once, and
// the later record does not repair it.
// expect: SC-106 cause=SC-110 at=copy_out proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t producer, consumer;
	cudaEvent_t ready;

	fill(h_data, 6, N);
	CHECK(cudaStreamCreate(&producer));
	CHECK(cudaStreamCreate(&consumer));
	CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, producer));
#ifdef FIXED
	CHECK(cudaEventRecord(ready, producer));
#endif
	CHECK(cudaStreamWaitEvent(consumer, ready, 0));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost,
			      consumer)); // @copy_out
#ifndef FIXED
	CHECK(cudaEventRecord(ready, producer));
#endif
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	verify(h_back, 6, N);
#endif
	CHECK(cudaEventDestroy(ready));
	CHECK(cudaStreamDestroy(producer));
	CHECK(cudaStreamDestroy(consumer));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
