// An event is created and destroyed in each round of a loop.
// expect: SC-312 at=destroy proven
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
#ifdef FIXED
	CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
#endif
	for (int i = 0; i < 100; i++) {
#ifndef FIXED
		CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
#endif
		CHECK(cudaMemsetAsync(d_data, i, bytes, i & 1 ? second : first));
		CHECK(cudaEventRecord(ready, i & 1 ? second : first));
		CHECK(cudaStreamWaitEvent(i & 1 ? first : second, ready, 0));
#ifndef FIXED
		CHECK(cudaEventDestroy(ready)); // @destroy
#endif
	}
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	CHECK(cudaEventDestroy(ready));
#endif
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(d_data));
	return 0;
}
