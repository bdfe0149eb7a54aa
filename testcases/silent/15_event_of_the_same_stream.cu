// A stream waits for an event that it recorded itself: redundant, and not wrong. (15.5 item 15)
// expect: SC-304 at=wait proven
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;
	cudaEvent_t event;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaEventRecord(event, stream));
	CHECK(cudaStreamWaitEvent(stream, event, 0)); // @wait
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	verify(h_back, 0, N);
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
