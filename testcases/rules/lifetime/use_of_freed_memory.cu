// Device memory is cleared after it was freed. The call fails, and the program does not look. Or a
// kernel gets it, in the very stream that freed it: the order on the device does not help.
// expect: SC-116 at=use proven
// expect[KERNEL]: SC-116 at=kernel proven
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

#ifdef KERNEL
int main()
{
	const int N = 1 << 14;
	cudaStream_t stream;
	float *data;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMallocAsync(&data, N * sizeof(float), stream));
	CHECK(cudaMemsetAsync(data, 0, N * sizeof(float), stream));
	CHECK(cudaFreeAsync(data, stream));
	scale<<<blocks_for(N), threads, 0, stream>>>(data, 2, N); // @kernel
	cudaStreamSynchronize(stream);
	cudaGetLastError();
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
#else

int main()
{
	const size_t bytes = 1 << 18;
	float *d_data = on_device(bytes);
	cudaStream_t stream;
	cudaError_t error;

	CHECK(cudaStreamCreate(&stream));
#ifndef FIXED
	CHECK(cudaFree(d_data));
#endif
	error = cudaMemsetAsync(d_data, 0, bytes, stream); // @use
	printf("memset: %s\n", cudaGetErrorName(error));
#ifdef FIXED
	CHECK(error);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaFree(d_data));
#endif
	cudaGetLastError();
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
#endif
