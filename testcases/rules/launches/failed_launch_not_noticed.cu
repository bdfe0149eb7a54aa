// A launch asks for more threads than there are; the error is not checked, and the program
// prints what was in the buffer before. Whether it looked is not always seen; that it uses the
// result makes it likely that it did not.
// expect: SC-404 at=copy likely doubt=error_query
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 12;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
#ifdef FIXED
	add<<<blocks_for(N), threads, 0, stream>>>(d_data, 1, N);
	CHECK(cudaGetLastError());
#else
	add<<<1, N, 0, stream>>>(d_data, 1, N);
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream)); // @copy
	CHECK(cudaStreamSynchronize(stream));
	printf("first element %g\n", h_back[0]);
#ifdef FIXED
	verify_kernel(h_back, 1, N);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
