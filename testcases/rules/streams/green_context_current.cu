// A green context is current, and work goes into its default stream: it does not wait for blocking
// streams of the primary context, but for those that were made under it (-DFIXED).
//
// The host waits for the whole context (-DWHOLE), which covers its streams and no others.
// expect: SC-106 at=copy proven order=no_event
// expect[FIXED]: clean
// expect[WHOLE]: SC-101 cause=SC-112 at=read proven
#include "testcases/driver.h"

#define MULTIPROCESSORS 8

// A green context of a part of device 0, as a context that can be current.
static CUcontext make_context(CUgreenCtx *green)
{
	CUdevResource all, part;
	CUdevResourceDesc description;
	CUcontext context;
	unsigned int groups = 1;

	DRIVER_CHECK(DRIVER(cuDeviceGetDevResource)(0, &all, CU_DEV_RESOURCE_TYPE_SM));
	DRIVER_CHECK(DRIVER(cuDevSmResourceSplitByCount)(&part, &groups, &all, NULL, 0,
							 MULTIPROCESSORS));
	DRIVER_CHECK(DRIVER(cuDevResourceGenerateDesc)(&description, &part, 1));
	DRIVER_CHECK(DRIVER(cuGreenCtxCreate)(green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
	DRIVER_CHECK(DRIVER(cuCtxFromGreenCtx)(&context, *green));
	return context;
}

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes), *d_data = on_device(bytes);
	cudaStream_t outside;
	CUstream inside;
	CUgreenCtx green;
	CUcontext context = make_context(&green);

	CHECK(cudaStreamCreate(&outside));
	fill(h_back, 1, N);
	DRIVER_CHECK(DRIVER(cuCtxPushCurrent)(context));
	DRIVER_CHECK(DRIVER(cuStreamCreate)(&inside, CU_STREAM_DEFAULT));
#ifdef FIXED
	CHECK(cudaMemsetAsync(d_data, 0, bytes, inside));
#else
	CHECK(cudaMemsetAsync(d_data, 0, bytes, outside));
#endif
#ifdef WHOLE
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, outside));
	DRIVER_CHECK(DRIVER(cuCtxSynchronize)());
	printf("%g\n", sum(h_back, N)); // @read
#else
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, 0)); // @copy
	DRIVER_CHECK(DRIVER(cuCtxSynchronize)());
#endif
#ifdef FIXED
	verify(h_back, 0, N);
#endif
	DRIVER_CHECK(DRIVER(cuStreamDestroy)(inside));
	DRIVER_CHECK(DRIVER(cuCtxPopCurrent)(&context));
#ifndef FIXED
	CHECK(cudaStreamSynchronize(outside));
#endif
	CHECK(cudaStreamDestroy(outside));
	DRIVER_CHECK(DRIVER(cuGreenCtxDestroy)(green));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
