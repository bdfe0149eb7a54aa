// The host waits for one stream and reads what the other one copies.
// expect: SC-101 cause=SC-112 at=read proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_first = pinned(bytes), *h_second = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream1, stream2;

	CHECK(cudaStreamCreate(&stream1));
	CHECK(cudaStreamCreate(&stream2));
	fill(h_second, 9, N);
	CHECK(cudaMemset(d_data, 0, bytes));
	CHECK(cudaMemcpyAsync(h_first, d_data, bytes, cudaMemcpyDeviceToHost, stream1));
	CHECK(cudaMemcpyAsync(h_second, d_data, bytes, cudaMemcpyDeviceToHost, stream2));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream2));
	verify(h_second, 0, N);
	CHECK(cudaStreamSynchronize(stream1));
#else
	CHECK(cudaStreamSynchronize(stream1));
	printf("sum %g\n", sum(h_second, N)); // @read
	CHECK(cudaStreamSynchronize(stream2));
#endif
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_first));
	CHECK(cudaFreeHost(h_second));
	return 0;
}
