// Memory is freed in the stream that allocated it while another stream still uses it.
// expect: SC-114 at=free proven order=no_event
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *d_data;
	cudaStream_t owner, user;
	cudaEvent_t allocated, used;

	CHECK(cudaStreamCreateWithFlags(&owner, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&user, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&allocated, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
	CHECK(cudaMallocAsync(&d_data, bytes, owner));
	CHECK(cudaEventRecord(allocated, owner));
	CHECK(cudaStreamWaitEvent(user, allocated, 0));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, user));
#ifdef FIXED
	CHECK(cudaEventRecord(used, user));
	CHECK(cudaStreamWaitEvent(owner, used, 0));
#endif
	CHECK(cudaFreeAsync(d_data, owner)); // @free
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaEventDestroy(allocated));
	CHECK(cudaEventDestroy(used));
	CHECK(cudaStreamDestroy(owner));
	CHECK(cudaStreamDestroy(user));
	return 0;
}
