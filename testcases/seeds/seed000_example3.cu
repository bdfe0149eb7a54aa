// Two streams with their own data, each kernel launched into its stream (the document gives the
// stream as a kernel argument, which no kernel of its takes). With -DSHARED both write one output.
// expect: clean
// expect[SHARED]: SC-105 at=second proven order=no_event
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16;
	float *h_input1 = pinned(N * sizeof(float)), *h_input2 = pinned(N * sizeof(float));
	float *d_input1 = on_device(N * sizeof(float)), *d_input2 = on_device(N * sizeof(float));
	float *d_output1 = on_device(N * sizeof(float)), *d_output2 = on_device(N * sizeof(float));
	float *result = (float *)malloc(N * sizeof(float));
	cudaStream_t stream1, stream2;
#ifdef SHARED
	float *target = d_output1;
#else
	float *target = d_output2;
#endif

	fill(h_input1, 3, N);
	fill(h_input2, 4, N);
	CHECK(cudaMemset(d_output2, 0, N * sizeof(float)));
	CHECK(cudaStreamCreate(&stream1));
	CHECK(cudaStreamCreate(&stream2));
	CHECK(cudaMemcpyAsync(d_input1, h_input1, N * sizeof(float), cudaMemcpyHostToDevice,
			      stream1));
	double_into<<<blocks_for(N), threads, 0, stream1>>>(d_input1, d_output1, N);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(d_input2, h_input2, N * sizeof(float), cudaMemcpyHostToDevice,
			      stream2));
	double_into<<<blocks_for(N), threads, 0, stream2>>>(d_input2, target, N); // @second
	CHECK(cudaGetLastError());
	CHECK(cudaStreamSynchronize(stream1));
	CHECK(cudaStreamSynchronize(stream2));
	CHECK(cudaMemcpy(result, d_output1, N * sizeof(float), cudaMemcpyDeviceToHost));
#ifndef SHARED
	verify_kernel(result, 6, N);
	CHECK(cudaMemcpy(result, d_output2, N * sizeof(float), cudaMemcpyDeviceToHost));
	verify_kernel(result, 8, N);
#endif
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	CHECK(cudaFree(d_input1));
	CHECK(cudaFree(d_input2));
	CHECK(cudaFree(d_output1));
	CHECK(cudaFree(d_output2));
	CHECK(cudaFreeHost(h_input1));
	CHECK(cudaFreeHost(h_input2));
	free(result);
	return 0;
}
