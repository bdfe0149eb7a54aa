// Two kernels in two streams are given one buffer, and nothing orders them. Built without PTX, so
// that only their parameters are known.
// nvcc: -gencode=arch=compute_90,code=sm_90
// expect: SC-209 at=second possible doubt=footprint
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream1, stream2;

	CHECK(cudaMemset(d_data, 0, bytes));
	CHECK(cudaStreamCreate(&stream1));
	CHECK(cudaStreamCreate(&stream2));
	add<<<blocks_for(N), threads, 0, stream1>>>(d_data, 1, N);
	CHECK(cudaGetLastError());
#ifdef FIXED
	cudaEvent_t done;

	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaEventRecord(done, stream1));
	CHECK(cudaStreamWaitEvent(stream2, done, 0));
	CHECK(cudaEventDestroy(done));
#endif
	scale<<<blocks_for(N), threads, 0, stream2>>>(d_data, 3, N); // @second
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(h_back, d_data, bytes, cudaMemcpyDeviceToHost));
#ifdef FIXED
	if (!is_simulated()) // which executes nothing without PTX
		verify(h_back, 3, N);
#endif
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
