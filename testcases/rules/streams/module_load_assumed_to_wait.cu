// Code is loaded between two fills of the same memory in two streams. Loading may wait for the
// device or not.
// expect: SC-105 cause=SC-219 at=second proven
// expect[FIXED]: clean
#include "testcases/driver.h"
#include "testcases/module.h"

int main()
{
	const size_t bytes = 1 << 16;
	float *d_data = on_device(bytes);
	cudaStream_t first, second;
	CUmodule module;

	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	CHECK(cudaMemsetAsync(d_data, 1, bytes, first));
	DRIVER_CHECK(DRIVER(cuModuleLoadData)(&module, MODULE_PTX));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(first));
#endif
	CHECK(cudaMemsetAsync(d_data, 2, bytes, second)); // @second
	CHECK(cudaDeviceSynchronize());
	DRIVER_CHECK(DRIVER(cuModuleUnload)(module));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(d_data));
	return 0;
}
