// A managed buffer is filled by a call whose name does not say that it returns before the fill is
// done, and the host reads it. Before CUDA 12 such calls waited for managed memory.
// expect: SC-101 at=read cause=SC-207 proven
// expect[COPIED]: SC-101 at=read cause=SC-207 proven
// expect[STREAM]: SC-105 at=refill cause=SC-207 proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	float *data, *d_data = on_device(N * sizeof(float));

	CHECK(cudaMallocManaged(&data, N * sizeof(float)));
	CHECK(cudaMemset(d_data, 0, N * sizeof(float)));
#ifdef COPIED
	CHECK(cudaMemcpy(data, d_data, N * sizeof(float), cudaMemcpyDefault));
#else
	CHECK(cudaMemset(data, 0, N * sizeof(float)));
#endif
#ifdef STREAM
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMemsetAsync(data, 1, N * sizeof(float), stream)); // @refill
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamDestroy(stream));
#endif
#ifdef FIXED
	CHECK(cudaDeviceSynchronize());
#endif
	printf("%g\n", sum(data, N)); // @read
#if !defined(FIXED) && !defined(STREAM)
	CHECK(cudaDeviceSynchronize());
#endif
	CHECK(cudaFree(data));
	CHECK(cudaFree(d_data));
	return 0;
}
