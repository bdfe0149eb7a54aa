// Device memory is cleared after it was freed. The call fails, and the program does not look.
// expect: SC-116 at=use proven
// expect[FIXED]: clean
#include "testcases/common.h"

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
