// One call launches a kernel on two devices, and later work in the stream of the one device copies
// what the kernel of the other writes.
//
// The call joins the streams (-DFIXED), unless a flag forbids it (L-5).
// expect: SC-106 cause=SC-150 at=copy proven
// expect[FIXED]: clean
#include "testcases/driver.h"
#include "testcases/module.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#ifdef FIXED
#define FLAGS 0
#else
#define FLAGS CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC
#endif

int main()
{
	int *d_words[2], can = 0, *h_back;
	void *parameters[2][1] = {{&d_words[0]}, {&d_words[1]}};
	CUDA_LAUNCH_PARAMS launches[2] = {};
	cudaStream_t streams[2];
	CUmodule modules[2];

	need_devices(2);
	CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
	if (!can)
		return EXIT_SKIPPED;
	h_back = (int *)pinned(sizeof(int));
	for (int i = 0; i < 2; i++) {
		CHECK(cudaSetDevice(i));
		d_words[i] = (int *)on_device(sizeof(int));
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
		CHECK(cudaMemsetAsync(d_words[i], 0, sizeof(int), streams[i]));
		DRIVER_CHECK(DRIVER(cuModuleLoadData)(&modules[i], MODULE_PTX));
		DRIVER_CHECK(
			DRIVER(cuModuleGetFunction)(&launches[i].function, modules[i], "store"));
		launches[i].gridDimX = launches[i].gridDimY = launches[i].gridDimZ = 1;
		launches[i].blockDimX = launches[i].blockDimY = launches[i].blockDimZ = 1;
		launches[i].hStream = streams[i];
		launches[i].kernelParams = parameters[i];
	}
	DRIVER_CHECK(DRIVER(cuLaunchCooperativeKernelMultiDevice)(launches, 2, FLAGS));
	CHECK(cudaSetDevice(0));
	CHECK(cudaMemcpyAsync(h_back, d_words[1], sizeof(int), cudaMemcpyDeviceToHost,
			      streams[0])); // @copy
	CHECK(cudaStreamSynchronize(streams[0]));
	CHECK(cudaStreamSynchronize(streams[1]));
#ifdef FIXED
	if (runs_kernels() && *h_back != 1)
		return EXIT_WRONG;
#endif
	for (int i = 0; i < 2; i++) {
		CHECK(cudaSetDevice(i));
		DRIVER_CHECK(DRIVER(cuModuleUnload)(modules[i]));
		CHECK(cudaStreamDestroy(streams[i]));
		CHECK(cudaFree(d_words[i]));
	}
	CHECK(cudaFreeHost(h_back));
	return 0;
}
