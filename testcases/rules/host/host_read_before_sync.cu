// The host reads a registered buffer while the copy into it is still under way.
// expect: SC-101 at=read proven order=none
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = (float *)aligned_alloc(4096, bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	fill(h_back, 1, N);
	CHECK(cudaHostRegister(h_back, bytes, cudaHostRegisterDefault));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
	verify(h_back, 0, N);
#else
	printf("sum %g\n", sum(h_back, N)); // @read
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaHostUnregister(h_back));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	free(h_back);
	return 0;
}
