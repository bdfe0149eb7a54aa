// Events in one stream. Recording an event and waiting for it in the same stream orders nothing
// new, and "the rest of the code" reads the output right after the last copy was enqueued.
// expect: SC-101 at=read proven order=none
// expect: SC-304 at=wait proven
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16;
	float *h_input = pinned(N * sizeof(float)), *h_output = pinned(N * sizeof(float));
	float *d_input = on_device(N * sizeof(float)), *d_output = on_device(N * sizeof(float));
	cudaEvent_t transferEvent, kernelEvent;
	cudaStream_t stream;

	fill(h_input, 3, N);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreate(&transferEvent));
	CHECK(cudaEventCreate(&kernelEvent));
	CHECK(cudaMemcpyAsync(d_input, h_input, N * sizeof(float), cudaMemcpyHostToDevice, stream));
	CHECK(cudaEventRecord(transferEvent, stream));
#ifndef FIXED
	CHECK(cudaStreamWaitEvent(stream, transferEvent, 0)); // @wait
#endif
	double_into<<<blocks_for(N), threads>>>(d_input, d_output, N);
	CHECK(cudaGetLastError());
	CHECK(cudaEventRecord(kernelEvent, stream));
	CHECK(cudaEventSynchronize(kernelEvent));
	CHECK(cudaMemcpyAsync(h_output, d_output, N * sizeof(float), cudaMemcpyDeviceToHost,
			      stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
	verify_kernel(h_output, 6, N);
#else
	printf("sum %g\n", sum(h_output, N)); // @read
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaEventDestroy(transferEvent));
	CHECK(cudaEventDestroy(kernelEvent));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_input));
	CHECK(cudaFree(d_output));
	CHECK(cudaFreeHost(h_input));
	CHECK(cudaFreeHost(h_output));
	return 0;
}
