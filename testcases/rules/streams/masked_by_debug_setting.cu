// A copy out of another stream than the kernel's, run with a setting that makes the host wait for
// each kernel: the result is right, and the order is missing all the same.
// env: CUDA_LAUNCH_BLOCKING=1
// expect: SC-106 at=copy_out cause=SC-220 proven
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t compute, copies;

	CHECK(cudaStreamCreate(&compute));
	CHECK(cudaStreamCreate(&copies));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, compute));
	CHECK(cudaStreamSynchronize(compute));
	add<<<blocks_for(N), threads, 0, compute>>>(d_data, 2, N);
	CHECK(cudaGetLastError());
#ifdef FIXED
	CHECK(cudaStreamSynchronize(compute));
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, copies)); // @copy_out
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	verify_kernel(h_back, 2, N);
#endif
	CHECK(cudaStreamDestroy(compute));
	CHECK(cudaStreamDestroy(copies));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
