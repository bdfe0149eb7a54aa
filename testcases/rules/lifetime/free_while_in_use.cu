// Memory of a stream-ordered pool is given to cudaFree, which does not wait for the copy in flight.
// expect: SC-115 at=free proven order=none
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *h_back = pinned(bytes);
	float *d_data;
	cudaStream_t stream;

	fill(h_data, 2, N);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMallocAsync(&d_data, bytes, stream));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
#ifdef FIXED
	CHECK(cudaFreeAsync(d_data, stream));
#else
	CHECK(cudaFree(d_data)); // @free
#endif
	// On a GPU the copy now and then fails, and everything after it; so it does under `lazy`.
	if (cudaStreamSynchronize(stream) == cudaErrorLaunchFailure)
		return 0;
#ifdef FIXED
	verify(h_back, 2, N);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
