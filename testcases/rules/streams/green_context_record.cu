// An event of a green context covers its own streams; a copy in another one is trusted too.
// expect: SC-101 cause=SC-112 at=read proven
// expect[FIXED]: clean
// expect[HELD]: SC-106 at=copy_out proven order=no_event
// expect[HELD_ALL]: clean
#include "testcases/driver.h"

#define MULTIPROCESSORS 8

// A green context of a part of device 0.
static CUgreenCtx green_context()
{
	CUdevResource all, part;
	CUdevResourceDesc description;
	CUgreenCtx green;
	unsigned int groups = 1;

	DRIVER_CHECK(DRIVER(cuDeviceGetDevResource)(0, &all, CU_DEV_RESOURCE_TYPE_SM));
	DRIVER_CHECK(DRIVER(cuDevSmResourceSplitByCount)(&part, &groups, &all, NULL, 0,
							 MULTIPROCESSORS));
	DRIVER_CHECK(DRIVER(cuDevResourceGenerateDesc)(&description, &part, 1));
	DRIVER_CHECK(DRIVER(cuGreenCtxCreate)(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
	return green;
}

static cudaStream_t stream_in(CUgreenCtx green)
{
	CUstream stream;

	DRIVER_CHECK(DRIVER(cuGreenCtxStreamCreate)(&stream, green, CU_STREAM_NON_BLOCKING, 0));
	return stream;
}

// Later work of the green context waits for the fill; `outside` is a stream of the device.
static void hold(CUgreenCtx green, cudaStream_t outside, cudaEvent_t event, float *d_data,
		 float *h_back, size_t bytes)
{
	cudaStream_t inside = stream_in(green);

	CHECK(cudaMemsetAsync(d_data, 0, bytes, outside));
	CHECK(cudaEventRecord(event, outside));
	DRIVER_CHECK(DRIVER(cuGreenCtxWaitEvent)(green, event));
#ifdef HELD
	CHECK(cudaStreamDestroy(inside));
	CHECK(cudaStreamCreateWithFlags(&inside, cudaStreamNonBlocking)); // of no green context
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, inside)); // @copy_out
	CHECK(cudaStreamSynchronize(inside));
#ifdef HELD
	CHECK(cudaStreamSynchronize(outside));
#endif
	CHECK(cudaStreamDestroy(inside));
}

// The host waits for an event of the whole green context.
static void record(CUgreenCtx green, cudaStream_t outside, cudaEvent_t event, float *d_data,
		   float *h_back, size_t bytes)
{
	cudaStream_t first = stream_in(green), second = stream_in(green);
	int half = (int)(bytes / sizeof(float) / 2);

#ifdef FIXED
	cudaStream_t other = second;
#else
	cudaStream_t other = outside;
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes / 2, cudaMemcpyDeviceToHost, first));
	CHECK(cudaMemcpyAsync(h_back + half, d_data + half, bytes / 2, cudaMemcpyDeviceToHost,
			      other));
	DRIVER_CHECK(DRIVER(cuGreenCtxRecordEvent)(green, event));
	CHECK(cudaEventSynchronize(event));
	verify(h_back, 0, half);
	printf("%g\n", sum(h_back + half, half)); // @read
	CHECK(cudaStreamSynchronize(outside));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
}

int main()
{
	const size_t bytes = (1 << 16) * sizeof(float);
	float *h_back = pinned(bytes), *d_data = on_device(bytes);
	CUgreenCtx green = green_context();
	cudaStream_t outside;
	cudaEvent_t event;

	CHECK(cudaStreamCreateWithFlags(&outside, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK(cudaMemset(d_data, 0, bytes));
	CHECK(cudaDeviceSynchronize());
#if defined(HELD) || defined(HELD_ALL)
	hold(green, outside, event, d_data, h_back, bytes);
#else
	record(green, outside, event, d_data, h_back, bytes);
#endif
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(outside));
	DRIVER_CHECK(DRIVER(cuGreenCtxDestroy)(green));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
