// "Timing Operations in CUDA Streams": two events around a kernel, a wait for the second: right.
// expect: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16;
	float *d_data = on_device(N * sizeof(float));
	cudaEvent_t start, stop;
	cudaStream_t stream;
	float milliseconds = -1;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));
	CHECK(cudaMemsetAsync(d_data, 0, N * sizeof(float), stream));
	CHECK(cudaEventRecord(start, stream));
	scale<<<blocks_for(N), threads, 0, stream>>>(d_data, 2, N);
	CHECK(cudaGetLastError());
	CHECK(cudaEventRecord(stop, stream));
	CHECK(cudaEventSynchronize(stop));
	CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
	if (milliseconds < 0)
		return EXIT_WRONG;
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(stop));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
}
