// Memory is allocated in one stream and used in another that does not wait for the allocation.
// expect: SC-113 at=use proven order=no_event
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes), *d_data;
	cudaStream_t owner, user;
	cudaEvent_t allocated;

	CHECK(cudaStreamCreateWithFlags(&owner, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&user, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&allocated, cudaEventDisableTiming));
	CHECK(cudaMallocAsync(&d_data, bytes, owner));
#ifdef FIXED
	CHECK(cudaEventRecord(allocated, owner));
	CHECK(cudaStreamWaitEvent(user, allocated, 0));
#endif
	CHECK(cudaMemsetAsync(d_data, 0, bytes, user)); // @use
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, user));
	CHECK(cudaFreeAsync(d_data, user));
	CHECK(cudaStreamSynchronize(user));
	verify(h_back, 0, N);
	CHECK(cudaEventDestroy(allocated));
	CHECK(cudaStreamDestroy(owner));
	CHECK(cudaStreamDestroy(user));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
