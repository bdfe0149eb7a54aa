// An event is waited for after it was destroyed. What the call does then is not defined: drivers
// crash, and so does the simulated device; another may answer with an error.
// expect: SC-117 at=use proven
// exit: 0|SIGSEGV
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const size_t bytes = 1 << 18;
	float *d_data = on_device(bytes);
	cudaStream_t stream, other;
	cudaEvent_t done;
	cudaError_t error;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&other));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaEventRecord(done, stream));
#ifndef FIXED
	CHECK(cudaEventDestroy(done));
#endif
	error = cudaStreamWaitEvent(other, done, 0); // @use
	printf("wait: %s\n", cudaGetErrorName(error));
#ifdef FIXED
	CHECK(error);
	CHECK(cudaEventDestroy(done));
#endif
	cudaGetLastError();
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaFree(d_data));
	return 0;
}
