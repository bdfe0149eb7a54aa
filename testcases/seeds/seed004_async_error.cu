// "Asynchronous Error Handling": a launch that cannot be fails at once and enqueues nothing; what
// comes after it runs, and the wait says so.
// expect: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16, tooMany = 1 << 20;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	scale<<<1, tooMany, 0, stream>>>(d_data, 2, N);
	if (cudaGetLastError() == cudaSuccess)
		return EXIT_WRONG;
	CHECK(cudaMemcpyAsync(h_data, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	verify(h_data, 0, N);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
