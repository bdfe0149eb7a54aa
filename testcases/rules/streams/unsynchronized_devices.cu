// A stream of one device copies what a stream of another device fills, with nothing between them.
// expect: SC-106 cause=SC-150 at=copy proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *first_data, *second_data, *h_back;
	cudaStream_t first, second;
	cudaEvent_t filled;

	need_devices(2);
	h_back = pinned(bytes);
	first_data = on_device(bytes);
	CHECK(cudaStreamCreate(&first));
	CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
	CHECK(cudaSetDevice(1));
	second_data = on_device(bytes);
	CHECK(cudaStreamCreate(&second));
	fill(h_back, 9, N);
	CHECK(cudaMemsetAsync(first_data, 0, bytes, first));
#ifdef FIXED
	CHECK(cudaEventRecord(filled, first));
	CHECK(cudaStreamWaitEvent(second, filled, 0));
#endif
	CHECK(cudaMemcpyPeerAsync(second_data, 1, first_data, 0, bytes, second)); // @copy
	CHECK(cudaMemcpyAsync(h_back, second_data, bytes, cudaMemcpyDeviceToHost, second));
	CHECK(cudaStreamSynchronize(second));
#ifdef FIXED
	verify(h_back, 0, N);
#else
	CHECK(cudaStreamSynchronize(first));
#endif
	CHECK(cudaEventDestroy(filled));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(first_data));
	CHECK(cudaFree(second_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
