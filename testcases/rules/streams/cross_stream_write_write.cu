// Two streams clear overlapping parts of one buffer with different values.
// expect: SC-105 at=second proven order=no_event
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const size_t bytes = 1 << 18;
	unsigned char *h_back = (unsigned char *)pinned(bytes);
	unsigned char *d_data = (unsigned char *)on_device(bytes);
	cudaStream_t stream1, stream2;

	CHECK(cudaStreamCreate(&stream1));
	CHECK(cudaStreamCreate(&stream2));
	CHECK(cudaMemsetAsync(d_data, 1, bytes, stream1));
#ifdef FIXED
	cudaEvent_t done;

	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaEventRecord(done, stream1));
	CHECK(cudaStreamWaitEvent(stream2, done, 0));
	CHECK(cudaEventDestroy(done));
#endif
	CHECK(cudaMemsetAsync(d_data + bytes / 2, 2, bytes / 2, stream2)); // @second
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(h_back, d_data, bytes, cudaMemcpyDeviceToHost));
#ifdef FIXED
	if (h_back[bytes / 2 - 1] != 1 || h_back[bytes / 2] != 2)
		return EXIT_WRONG;
#endif
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
