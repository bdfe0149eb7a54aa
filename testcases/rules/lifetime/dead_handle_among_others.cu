// An event is waited for long after it was destroyed; meanwhile streams came and went, so that what
// was known of them was used again for others. The event's own handle has not come back.
// expect: SC-117 at=use proven
// expect: SC-312 at=gone proven
// exit: 0|SIGSEGV
// expect[FIXED]: SC-312 at=gone proven
#include "testcases/common.h"

static void come_and_go()
{
	cudaStream_t passing;

	for (int i = 0; i < 1000; i++) {
		CHECK(cudaStreamCreate(&passing));
		CHECK(cudaStreamDestroy(passing)); // @gone
	}
}

int main()
{
	cudaStream_t stream, other;
	cudaEvent_t done;
	cudaError_t error;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&other));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaEventRecord(done, stream));
#ifndef FIXED
	CHECK(cudaEventDestroy(done));
#endif
	come_and_go();
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
	return 0;
}
