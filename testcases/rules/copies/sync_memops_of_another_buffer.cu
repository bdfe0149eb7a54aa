// Synchronous operations are asked for, but for another buffer than the one that is filled.
// expect: SC-106 cause=SC-109 at=copy_out proven
// expect[FIXED]: clean
// expect[PITCHED]: SC-106 cause=SC-109 at=copy_out proven
// expect[PITCHED_FIXED]: clean
#include "testcases/driver.h"

#define ROWS 64

static void ask_for(float *d_data)
{
	unsigned on = 1;

	DRIVER_CHECK(DRIVER(cuPointerSetAttribute)(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
						   (CUdeviceptr)d_data));
}

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes), *d_zero = on_device(bytes), *d_other = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMemset(d_zero, 0, bytes));
	CHECK(cudaDeviceSynchronize());
#if defined(FIXED) || defined(PITCHED_FIXED)
	ask_for(d_data);
#else
	ask_for(d_other);
#endif
#if defined(PITCHED) || defined(PITCHED_FIXED)
	CHECK(cudaMemcpy2D(d_data, bytes / ROWS, d_zero, bytes / ROWS, bytes / ROWS, ROWS,
			   cudaMemcpyDeviceToDevice));
#else
	CHECK(cudaMemset(d_data, 0, bytes));
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream)); // @copy_out
	CHECK(cudaStreamSynchronize(stream));
#if defined(FIXED) || defined(PITCHED_FIXED)
	verify(h_back, 0, N);
#else
	CHECK(cudaStreamSynchronize(0));
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(d_zero));
	CHECK(cudaFree(d_other));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
