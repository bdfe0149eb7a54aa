// A value in memory is all that orders a copy behind the fill of another stream.
// expect: SC-320 at=copy_out proven
// expect[FIXED]: clean
#include "testcases/driver.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *d_data = on_device(bytes), *h_back = pinned(bytes);
	float *flag = on_device(sizeof(float));
	cudaStream_t first, second;
	cudaEvent_t written;

	auto write_value = DRIVER(cuStreamWriteValue32);
	auto wait_value = DRIVER(cuStreamWaitValue32);

	CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&written, cudaEventDisableTiming));
	CHECK(cudaMemset(flag, 0, sizeof(float)));
	CHECK(cudaDeviceSynchronize());
	fill(h_back, 9, N);
	CHECK(cudaMemsetAsync(d_data, 0, bytes, first));
	DRIVER_CHECK(write_value(first, (CUdeviceptr)flag, 1, 0));
#ifdef FIXED
	CHECK(cudaEventRecord(written, first));
	CHECK(cudaStreamWaitEvent(second, written, 0));
#endif
	DRIVER_CHECK(wait_value(second, (CUdeviceptr)flag, 1, CU_STREAM_WAIT_VALUE_EQ));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, second)); // @copy_out
	CHECK(cudaStreamSynchronize(second));
	verify(h_back, 0, N);
	CHECK(cudaEventDestroy(written));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(flag));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
