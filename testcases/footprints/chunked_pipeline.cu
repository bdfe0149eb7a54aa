// Chunks of one buffer go through copy, kernel and copy in two streams. The racy one gives its
// kernels the number of elements that are left, not that of a chunk.
// expect: SC-105 at=copy_in proven order=no_event
// expect: SC-105 at=kernel proven order=no_event
// expect: SC-106 at=copy_out proven order=no_event
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int chunk = 1 << 14, chunks = 4, N = chunks * chunk;
	float *h_data = pinned(N * sizeof(float));
	float *d_data = on_device(N * sizeof(float));
	cudaStream_t stream[2];

	fill(h_data, 3, N);
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamCreate(&stream[i]));
	for (int i = 0; i < chunks; i++) {
		cudaStream_t s = stream[i % 2];
		float *h = h_data + i * chunk, *d = d_data + i * chunk;
#ifdef FIXED
		const int count = chunk;
#else
		const int count = N - i * chunk;
#endif

		CHECK(cudaMemcpyAsync(d, h, chunk * sizeof(float), cudaMemcpyHostToDevice,
				      s));				  // @copy_in
		scale<<<blocks_for(count), threads, 0, s>>>(d, 2, count); // @kernel
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(h, d, chunk * sizeof(float), cudaMemcpyDeviceToHost,
				      s)); // @copy_out
	}
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	verify_kernel(h_data, 6, N);
#endif
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamDestroy(stream[i]));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
