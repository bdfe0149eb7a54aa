// Copy in, kernel, copy out. The document calls it "a single stream", but the kernel is launched
// into the default stream; it is right only because a stream of cudaStreamCreate is a blocking one.
// expect: clean
// expect[NONBLOCKING]: SC-106 cause=SC-107 at=kernel proven
// expect[NONBLOCKING]: SC-106 cause=SC-107 at=copy_back proven
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16;
	float *h_input = pinned(N * sizeof(float)), *h_output = pinned(N * sizeof(float));
	float *d_input = on_device(N * sizeof(float)), *d_output = on_device(N * sizeof(float));
	cudaStream_t stream;

	fill(h_input, 3, N);
#ifdef NONBLOCKING
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
#else
	CHECK(cudaStreamCreate(&stream));
#endif
	CHECK(cudaMemcpyAsync(d_input, h_input, N * sizeof(float), cudaMemcpyHostToDevice, stream));
	double_into<<<blocks_for(N), threads>>>(d_input, d_output, N); // @kernel
	CHECK(cudaGetLastError());
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpyAsync(h_output, d_output, N * sizeof(float), cudaMemcpyDeviceToHost,
			      stream)); // @copy_back
	CHECK(cudaStreamSynchronize(stream));
#ifdef NONBLOCKING
	CHECK(cudaDeviceSynchronize());
	printf("sum %g\n", sum(h_output, N));
#else
	verify_kernel(h_output, 6, N);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_input));
	CHECK(cudaFree(d_output));
	CHECK(cudaFreeHost(h_input));
	CHECK(cudaFreeHost(h_output));
	return 0;
}
