// An event of one device is recorded in a stream of another one. Needs two devices.
// expect: SC-129 at=record fix=event_device proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	cudaStream_t stream;
	cudaEvent_t event;
	cudaError_t recorded;

	need_devices(2);
	CHECK(cudaStreamCreate(&stream));
#ifndef FIXED
	CHECK(cudaSetDevice(1));
#endif
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	recorded = cudaEventRecord(event, stream); // @record
	printf("recorded: %s\n", cudaGetErrorName(recorded));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
