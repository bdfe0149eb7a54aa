// The malloc'ed source of an asynchronous copy is freed without a wait. Drivers of today have
// staged it by then; the text promises nothing.
// expect: SC-201 at=free proven order=none
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 12;
	const size_t bytes = N * sizeof(float);
	float *h_data = (float *)malloc(bytes), *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	fill(h_data, 3, N);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
#ifndef FIXED
	free(h_data); // @free
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
#ifdef FIXED
	verify(h_back, 3, N);
	free(h_data);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
