/* Launches of CUDA 2 and on several devices, on the simulated driver. */
#include "tests/unit/simulator/sim_loaded.h"

/* They still exist. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

EACH_TEST(sim_loaded_setup, sim_loaded_teardown)

/* CUDA 2: the function keeps its settings. */
TEST(launches_of_cuda_2)
{
	struct sim_loaded *l = *state;
	float factor = 2;
	CUfunction scale;

	OK(cuKernelGetFunction(&scale, l->scale));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuFuncSetBlockShape((CUfunction)l, 1, 1, 1));
	OK(cuFuncSetBlockShape(scale, 32, 1, 1));
	OK(cuFuncSetSharedSize(scale, 0));
	OK(cuParamSetv(scale, 0, &l->memory, sizeof(l->memory)));
	OK(cuParamSetf(scale, 8, factor));
	OK(cuParamSeti(scale, 12, 10));
	OK(cuParamSetSize(scale, 16));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuParamSetv(scale, 4095, &factor, sizeof(factor)));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuParamSetv(scale, -1, &factor, sizeof(factor)));
	OK(cuLaunch(scale));
	OK(cuLaunchGrid(scale, 2, 2));
	OK(cuLaunchGridAsync(scale, 2, 1, l->stream));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchGrid(scale, 0, 1));
	OK(cuCtxSynchronize());
}

static void check_devices(struct sim_loaded *l, CUstream other)
{
	float factor = 2;
	int count = 10;
	void *params[] = {&l->memory, &factor, &count};
	CUDA_LAUNCH_PARAMS both[2] = {{.function = (CUfunction)l->scale,
				       .gridDimX = 1,
				       .gridDimY = 1,
				       .gridDimZ = 1,
				       .blockDimX = 1,
				       .blockDimY = 1,
				       .blockDimZ = 1,
				       .hStream = l->stream,
				       .kernelParams = params}};
	struct gate gate;

	both[1] = both[0];
	FAILS(CUDA_ERROR_INVALID_DEVICE, cuLaunchCooperativeKernelMultiDevice(both, 2, 0));
	both[1].hStream = NULL;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchCooperativeKernelMultiDevice(both, 2, 0));
	both[1].hStream = other;
	both[1].gridDimX = 2;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchCooperativeKernelMultiDevice(both, 2, 0));
	both[1].gridDimX = 1;
	gate_close(&gate, l->stream);
	OK(cuLaunchCooperativeKernelMultiDevice(both, 2, 0));
	FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(other)); /* it waits for the other stream */
	gate_open(&gate);
	OK(cuStreamSynchronize(other));
}

TEST(launch_on_several_devices)
{
	CUcontext mine, context;
	CUstream other;

	OK(cuCtxGetCurrent(&mine));
	OK(cuDevicePrimaryCtxRetain(&context, 1));
	OK(cuCtxSetCurrent(context));
	OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
	OK(cuCtxSetCurrent(mine));
	check_devices(*state, other);
	OK(cuStreamDestroy(other));
	OK(cuDevicePrimaryCtxRelease(1));
}
