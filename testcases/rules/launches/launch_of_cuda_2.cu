// A kernel is launched with the functions of CUDA 2, which keep its parameters: into the default
// stream, or into a given one (-DASYNC). Another stream copies what it writes.
// expect: SC-106 cause=SC-107 at=copy proven
// expect[ASYNC]: SC-106 at=copy proven order=no_event
// expect[FIXED]: clean
#include "testcases/driver.h"
#include "testcases/module.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

int main()
{
	int *d_word = (int *)on_device(sizeof(int));
	float *h_back = pinned(sizeof(int));
	cudaStream_t stream, other;
	cudaEvent_t stored;
	CUmodule module;
	CUfunction store;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&stored, cudaEventDisableTiming));
	DRIVER_CHECK(DRIVER(cuModuleLoadData)(&module, MODULE_PTX));
	DRIVER_CHECK(DRIVER(cuModuleGetFunction)(&store, module, "store"));
	DRIVER_CHECK(DRIVER(cuFuncSetBlockShape)(store, 1, 1, 1));
	DRIVER_CHECK(DRIVER(cuParamSetv)(store, 0, &d_word, sizeof(d_word)));
	DRIVER_CHECK(DRIVER(cuParamSetSize)(store, sizeof(d_word)));
#ifdef ASYNC
	DRIVER_CHECK(DRIVER(cuLaunchGridAsync)(store, 1, 1, stream));
#else
	DRIVER_CHECK(DRIVER(cuLaunchGrid)(store, 1, 1));
#endif
#ifdef FIXED
	CHECK(cudaEventRecord(stored, 0));
	CHECK(cudaStreamWaitEvent(other, stored, 0));
#endif
	CHECK(cudaMemcpyAsync(h_back, d_word, sizeof(int), cudaMemcpyDeviceToHost,
			      other)); // @copy
	CHECK(cudaStreamSynchronize(other));
#ifdef FIXED
	if (runs_kernels() && *(int *)h_back != 1)
		return EXIT_WRONG;
#else
	CHECK(cudaDeviceSynchronize());
#endif
	DRIVER_CHECK(DRIVER(cuModuleUnload)(module));
	CHECK(cudaEventDestroy(stored));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaFree(d_word));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
