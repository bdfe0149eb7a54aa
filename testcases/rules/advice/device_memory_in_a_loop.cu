// Device memory is allocated and freed in each round of a loop.
// expect: SC-311 at=free proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const size_t bytes = 1 << 12;
	float *d_data;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	for (int i = 0; i < 100; i++) {
#ifdef FIXED
		CHECK(cudaMallocAsync(&d_data, bytes, stream));
		CHECK(cudaMemsetAsync(d_data, i, bytes, stream));
		CHECK(cudaFreeAsync(d_data, stream));
#else
		CHECK(cudaMalloc(&d_data, bytes));
		CHECK(cudaMemsetAsync(d_data, i, bytes, stream));
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaFree(d_data)); // @free
#endif
	}
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
