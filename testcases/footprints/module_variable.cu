// Two streams use one __device__ variable, which no call ever names: a kernel stores its result
// there, another kernel reads it. The racy program forgets that they have to be ordered.
// expect: SC-106 at=second proven order=no_event
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

__device__ float result[256];

SC_KERNEL store_result(float value)
{
	result[threadIdx.x] = value;
}

SC_KERNEL load_result(float *out)
{
	out[threadIdx.x] = result[threadIdx.x];
}

int main()
{
	float *h_back = pinned(threads * sizeof(float)),
	      *d_out = on_device(threads * sizeof(float));
	cudaStream_t stream1, stream2;
	cudaEvent_t stored;

	CHECK(cudaStreamCreate(&stream1));
	CHECK(cudaStreamCreate(&stream2));
	CHECK(cudaEventCreateWithFlags(&stored, cudaEventDisableTiming));
	store_result<<<1, 256, 0, stream1>>>(3);
	CHECK(cudaGetLastError());
#ifdef FIXED
	CHECK(cudaEventRecord(stored, stream1));
	CHECK(cudaStreamWaitEvent(stream2, stored, 0));
#endif
	load_result<<<1, 256, 0, stream2>>>(d_out); // @second
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(h_back, d_out, threads * sizeof(float), cudaMemcpyDeviceToHost));
#ifdef FIXED
	verify_kernel(h_back, 3, 256);
#endif
	CHECK(cudaEventDestroy(stored));
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	CHECK(cudaFree(d_out));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
