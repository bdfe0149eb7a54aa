// One instruction touches several bytes: the first of them lies beside the operand of a copy.
// expect: SC-102 at=store proven order=none
// expect[BESIDE]: clean
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	char *h_data = (char *)pinned(4096), *d_data = (char *)on_device(4096);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(d_data, h_data + 100, 1000, cudaMemcpyHostToDevice, stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
#ifdef BESIDE
	*(volatile long long *)(h_data + 92) = 1;
	*(volatile long long *)(h_data + 1100) = 1;
#else
	*(volatile long long *)(h_data + 96) = 1; // @store
#endif
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
