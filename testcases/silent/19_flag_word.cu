// A stream writes a word that another stream waits for, and the host looks at it all the while.
// (15.5 item 19)
// expect: clean
#include "testcases/driver.h"

int main()
{
	float *flag = pinned(64);
	volatile float *seen = flag;
	cudaStream_t first, second;
	cudaEvent_t written;

	auto write_value = DRIVER(cuStreamWriteValue32);
	auto wait_value = DRIVER(cuStreamWaitValue32);

	CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&written, cudaEventDisableTiming));
	DRIVER_CHECK(write_value(first, (CUdeviceptr)flag, 1, 0));
	CHECK(cudaEventRecord(written, first));
	CHECK(cudaStreamWaitEvent(second, written, 0));
	DRIVER_CHECK(wait_value(second, (CUdeviceptr)flag, 1, CU_STREAM_WAIT_VALUE_EQ));
	if (*seen < 0)
		return EXIT_WRONG;
	CHECK(cudaDeviceSynchronize());
	if (*seen == 0)
		return EXIT_WRONG;
	CHECK(cudaEventDestroy(written));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFreeHost(flag));
	return 0;
}
