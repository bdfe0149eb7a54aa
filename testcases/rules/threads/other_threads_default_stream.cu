// A thread enqueues into its own default stream and ends; who joined it waits for "the" default
// stream, which is another one.
// nvcc: --default-stream per-thread
// expect: SC-101 cause=SC-146 at=read proven
// expect[FIXED]: clean
#include <thread>
#include "testcases/common.h"

static void download(float *h_back, const float *d_data, size_t bytes)
{
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, 0));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(0));
#endif
}

int main()
{
	const size_t bytes = 1 << 16;
	float *h_back = pinned(bytes), *h_other = pinned(bytes), *d_data = on_device(bytes);

	CHECK(cudaMemsetAsync(d_data, 0, bytes, 0));
	CHECK(cudaStreamSynchronize(0));
	CHECK(cudaMemcpyAsync(h_other, d_data, bytes, cudaMemcpyDeviceToHost, 0));
	std::thread(download, h_back, d_data, bytes).join();
	CHECK(cudaStreamSynchronize(0));
	printf("sum %g\n", sum(h_back, bytes / sizeof(float))); // @read
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	CHECK(cudaFreeHost(h_other));
	return 0;
}
