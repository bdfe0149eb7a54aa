// The host clears a result buffer after the copy into it was enqueued.
// expect: SC-103 at=clear proven order=none
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0x40, bytes, stream));
#ifdef FIXED
	fill(h_back, 0, N);
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
#ifndef FIXED
	fill(h_back, 0, N); // @clear
#endif
	CHECK(cudaStreamSynchronize(stream));
#ifdef FIXED
	verify(h_back, 3.0039215f, N);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
