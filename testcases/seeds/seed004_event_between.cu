// "CUDA Events", the stream [kernel 1] [event A] [kernel 2]: waiting for A covers what stands
// before it. With -DEARLY the host reads what stands behind it.
// expect: clean
// expect[EARLY]: SC-101 cause=SC-111 at=read proven
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_first = pinned(bytes), *h_second = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaEvent_t A;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreateWithFlags(&A, cudaEventDisableTiming));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	add<<<blocks_for(N), threads, 0, stream>>>(d_data, 1, N);
	CHECK(cudaMemcpyAsync(h_first, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaEventRecord(A, stream));
	add<<<blocks_for(N), threads, 0, stream>>>(d_data, 1, N);
	CHECK(cudaMemcpyAsync(h_second, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaEventSynchronize(A));
	verify_kernel(h_first, 1, N);
#ifdef EARLY
	printf("sum %g\n", sum(h_second, N)); // @read
#endif
	CHECK(cudaStreamSynchronize(stream));
	verify_kernel(h_second, 2, N);
	CHECK(cudaEventDestroy(A));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_first));
	CHECK(cudaFreeHost(h_second));
	return 0;
}
