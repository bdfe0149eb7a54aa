// A registered buffer is freed while a copy may still read it.
// expect: SC-104 at=free proven order=none
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 14;
	const size_t bytes = N * sizeof(float);
	float *h_data = (float *)aligned_alloc(4096, bytes), *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	fill(h_data, 3, N);
	CHECK(cudaHostRegister(h_data, bytes, cudaHostRegisterDefault));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaHostUnregister(h_data));
#endif
	free(h_data); // @free
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
#ifdef FIXED
	verify(h_back, 3, N);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
