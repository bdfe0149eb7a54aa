// An allocator hands the same address out again; what different owners do there is no race. (15.5
// item 3)
// expect: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes), *d_data;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	for (int i = 0; i < 3; i++) {
		CHECK(cudaMallocAsync(&d_data, bytes, stream));
		CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
		add<<<blocks_for(N), threads, 0, stream>>>(d_data, i, N);
		CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaFreeAsync(d_data, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	verify_kernel(h_back, 2, N);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
