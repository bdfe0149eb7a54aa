// A stream waits for a value before the stream that writes it is given the write.
// expect: SC-217 at=write proven
// expect[FIXED]: clean
#include "testcases/driver.h"

int main()
{
	float *flag = on_device(sizeof(float));
	cudaStream_t first, second;

	auto write_value = DRIVER(cuStreamWriteValue32);
	auto wait_value = DRIVER(cuStreamWaitValue32);

	CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	CHECK(cudaMemset(flag, 0, sizeof(float)));
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	DRIVER_CHECK(write_value(first, (CUdeviceptr)flag, 1, 0));
	DRIVER_CHECK(wait_value(second, (CUdeviceptr)flag, 1, CU_STREAM_WAIT_VALUE_EQ));
#else
	DRIVER_CHECK(wait_value(second, (CUdeviceptr)flag, 1, CU_STREAM_WAIT_VALUE_EQ));
	DRIVER_CHECK(write_value(first, (CUdeviceptr)flag, 1, 0)); // @write
#endif
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(flag));
	return 0;
}
