// A small synchronous copy is trusted to be complete for a non-blocking stream. Most texts say
// that it is; the strict profile does not count on it.
// options: profile=strict
// expect: SC-105|SC-106 at=kernel cause=SC-206 proven
// expect: SC-106 at=copy_out cause=SC-206 proven
// expect: SC-204 at=free cause=SC-206 proven
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 10;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	fill(h_data, 3, N);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
#ifdef FIXED
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
#else
	CHECK(cudaMemcpy(d_data, h_data, bytes, cudaMemcpyHostToDevice));
#endif
	scale<<<blocks_for(N), threads, 0, stream>>>(d_data, 2, N); // @kernel
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost,
			      stream)); // @copy_out
	CHECK(cudaStreamSynchronize(stream));
	verify_kernel(h_back, 6, N);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data)); // @free
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
