// A stream writes a word of eight bytes to an address that is not a multiple of eight.
// expect: SC-148 at=write fix=whole_word proven
// expect[FIXED]: clean
#include "testcases/driver.h"

int main()
{
	float *flag = on_device(64);
	cudaStream_t stream;

	auto write_value = DRIVER(cuStreamWriteValue64);

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemset(flag, 0, 64));
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	DRIVER_CHECK(write_value(stream, (CUdeviceptr)(flag + 2), 1, 0));
#else
	(void)write_value(stream, (CUdeviceptr)(flag + 1), 1, 0); // @write
#endif
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(flag));
	return 0;
}
