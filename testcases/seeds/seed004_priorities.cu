// "Stream Prioritization": a priority is a hint for the scheduler and orders nothing. The copy out
// in the low-priority stream may run before the copy in.
// expect: SC-106 at=copy_out proven order=no_event
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t high, low;
	int least, greatest;

	fill(h_data, 5, N);
	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest));
	CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, high));
#ifdef FIXED
	cudaEvent_t copied;

	CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
	CHECK(cudaEventRecord(copied, high));
	CHECK(cudaStreamWaitEvent(low, copied, 0));
	CHECK(cudaEventDestroy(copied));
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, low)); // @copy_out
	CHECK(cudaStreamSynchronize(low));
#ifdef FIXED
	verify(h_back, 5, N);
#else
	CHECK(cudaStreamSynchronize(high));
	printf("sum %g\n", sum(h_back, N));
#endif
	CHECK(cudaStreamDestroy(high));
	CHECK(cudaStreamDestroy(low));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
