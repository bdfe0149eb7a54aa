// A buffer is freed in another stream than the one that used it last, after an event. (15.5 item
// 17)
// expect: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes), *d_data;
	cudaStream_t user, owner;
	cudaEvent_t used;

	CHECK(cudaStreamCreate(&user));
	CHECK(cudaStreamCreate(&owner));
	CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
	CHECK(cudaMallocAsync(&d_data, bytes, user));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, user));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, user));
	CHECK(cudaEventRecord(used, user));
	CHECK(cudaStreamWaitEvent(owner, used, 0));
	CHECK(cudaFreeAsync(d_data, owner));
	CHECK(cudaStreamSynchronize(owner));
	verify(h_back, 0, N);
	CHECK(cudaEventDestroy(used));
	CHECK(cudaStreamDestroy(user));
	CHECK(cudaStreamDestroy(owner));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
