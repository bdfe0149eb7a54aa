// A stream waits twice for the same record of an event.
// expect: SC-305 at=second proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const size_t bytes = 1 << 12;
	float *d_data = on_device(bytes);
	cudaStream_t first, second;
	cudaEvent_t ready;

	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, first));
	CHECK(cudaEventRecord(ready, first));
	CHECK(cudaStreamWaitEvent(second, ready, 0));
#ifndef FIXED
	CHECK(cudaStreamWaitEvent(second, ready, 0)); // @second
#endif
	CHECK(cudaMemsetAsync(d_data, 1, bytes, second));
	CHECK(cudaStreamSynchronize(second));
	CHECK(cudaEventDestroy(ready));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(d_data));
	return 0;
}
