// A stream waits for an event that is never recorded: the wait returns at once and orders nothing.
// expect: SC-202 at=wait proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream, other;
	cudaEvent_t ready;

	fill(h_back, 9, N);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&other));
	CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
#ifdef FIXED
	CHECK(cudaMemsetAsync(d_data, 0, bytes, other));
	CHECK(cudaEventRecord(ready, other));
#endif
	CHECK(cudaStreamWaitEvent(stream, ready, 0)); // @wait
#ifndef FIXED
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	verify(h_back, 0, N);
	CHECK(cudaEventDestroy(ready));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
