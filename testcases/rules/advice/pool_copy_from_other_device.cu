// Memory of a pool is filled in a stream of its device while another device is current. Drivers may
// refuse that copy, and say only that some value is invalid.
// expect: SC-318 at=copy proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *d_data;
	cudaStream_t stream;

	need_devices(2);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMallocAsync(&d_data, bytes, stream));
#ifndef FIXED
	CHECK(cudaSetDevice(1));
#endif
	cudaError_t error =
		cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream); // @copy
	CHECK(cudaSetDevice(0));
	printf("the copy: %s\n", cudaGetErrorName(error));
	CHECK(cudaFreeAsync(d_data, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
