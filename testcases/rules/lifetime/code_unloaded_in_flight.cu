// A module is unloaded while a kernel of it may still run.
// expect: SC-144 at=unload proven
// expect[FIXED]: clean
#include "testcases/driver.h"
#include "testcases/module.h"

int main()
{
	int *d_word = (int *)on_device(sizeof(int));
	void *parameters[] = {&d_word};
	cudaStream_t stream;
	CUmodule module;
	CUfunction store;

	CHECK(cudaStreamCreate(&stream));
	DRIVER_CHECK(DRIVER(cuModuleLoadData)(&module, MODULE_PTX));
	DRIVER_CHECK(DRIVER(cuModuleGetFunction)(&store, module, "store"));
	DRIVER_CHECK(DRIVER(cuLaunchKernel)(store, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	DRIVER_CHECK(DRIVER(cuModuleUnload)(module)); // @unload
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_word));
	return 0;
}
