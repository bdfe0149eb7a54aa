// An event of an execution context covers its own streams; one of the device is trusted too.
// expect: SC-101 cause=SC-112 at=read proven
// expect[SYNC]: SC-101 cause=SC-112 at=read proven
// expect[HELD]: SC-106 at=copy_out proven order=no_event
// expect[FIXED]: clean
// expect[DEVICE]: clean
// expect[HELD_ALL]: clean
#include <cuda.h>
#include "testcases/newer.h"

typedef struct cudaExecutionContext_st *execution_context;
typedef CUdevResource resource; // the runtime's has the same members
typedef cudaError_t newer_cudaDeviceGetDevResource(int, resource *, int);
typedef cudaError_t newer_cudaDevSmResourceSplitByCount(resource *, unsigned *, const resource *,
							resource *, unsigned, unsigned);
typedef cudaError_t newer_cudaDevResourceGenerateDesc(CUdevResourceDesc *, resource *, unsigned);
typedef cudaError_t newer_cudaGreenCtxCreate(execution_context *, CUdevResourceDesc, int, unsigned);
typedef cudaError_t newer_cudaDeviceGetExecutionCtx(execution_context *, int);
typedef cudaError_t newer_cudaExecutionCtxDestroy(execution_context);
typedef cudaError_t newer_cudaExecutionCtxStreamCreate(cudaStream_t *, execution_context, unsigned,
						       int);
typedef cudaError_t newer_cudaExecutionCtxSynchronize(execution_context);
typedef cudaError_t newer_cudaExecutionCtxRecordEvent(execution_context, cudaEvent_t);
typedef cudaError_t newer_cudaExecutionCtxWaitEvent(execution_context, cudaEvent_t);

#define MULTIPROCESSORS 8

// A part of device 0.
static execution_context part_of_device()
{
	resource all, part;
	CUdevResourceDesc description;
	execution_context made;
	unsigned groups = 1;

	CHECK(NEWER(cudaDeviceGetDevResource)(0, &all, CU_DEV_RESOURCE_TYPE_SM));
	CHECK(NEWER(cudaDevSmResourceSplitByCount)(&part, &groups, &all, NULL, 0, MULTIPROCESSORS));
	CHECK(NEWER(cudaDevResourceGenerateDesc)(&description, &part, 1));
	CHECK(NEWER(cudaGreenCtxCreate)(&made, description, 0, 0));
	return made;
}

static cudaStream_t stream_in(execution_context context)
{
	cudaStream_t stream;

	CHECK(NEWER(cudaExecutionCtxStreamCreate)(&stream, context, cudaStreamDefault, 0));
	return stream;
}

// What the host waits for: an event of the context, or the context itself.
static void wait(execution_context context, cudaEvent_t event)
{
#if defined(SYNC)
	CHECK(NEWER(cudaExecutionCtxSynchronize)(context));
#elif defined(DEVICE)
	execution_context device;

	CHECK(NEWER(cudaDeviceGetExecutionCtx)(&device, 0));
	CHECK(NEWER(cudaExecutionCtxSynchronize)(device));
#else
	CHECK(NEWER(cudaExecutionCtxRecordEvent)(context, event));
	CHECK(cudaEventSynchronize(event));
#endif
}

static void record(execution_context context, cudaStream_t outside, cudaEvent_t event,
		   float *d_data, float *h_back, size_t bytes)
{
	cudaStream_t first = stream_in(context), second = stream_in(context);
	int half = (int)(bytes / sizeof(float) / 2);
#ifdef FIXED
	cudaStream_t other = second;
#else
	cudaStream_t other = outside;
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes / 2, cudaMemcpyDeviceToHost, first));
	CHECK(cudaMemcpyAsync(h_back + half, d_data + half, bytes / 2, cudaMemcpyDeviceToHost,
			      other));
	wait(context, event);
	verify(h_back, 0, half);
	printf("%g\n", sum(h_back + half, half)); // @read
#ifndef DEVICE
	CHECK(cudaStreamSynchronize(outside));
#endif
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
}

// Later work of the context waits for the fill; a stream of the device does not.
static void hold(execution_context context, cudaStream_t outside, cudaEvent_t event, float *d_data,
		 float *h_back, size_t bytes)
{
	cudaStream_t reader;

	CHECK(cudaMemsetAsync(d_data, 0, bytes, outside));
	CHECK(cudaEventRecord(event, outside));
	CHECK(NEWER(cudaExecutionCtxWaitEvent)(context, event));
#ifdef HELD
	CHECK(cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking));
#else
	reader = stream_in(context);
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, reader)); // @copy_out
	CHECK(cudaStreamSynchronize(reader));
#ifdef HELD
	CHECK(cudaStreamSynchronize(outside));
#endif
	CHECK(cudaStreamDestroy(reader));
}

int main()
{
	const size_t bytes = (1 << 16) * sizeof(float);
	float *h_back = pinned(bytes), *d_data = on_device(bytes);
	execution_context context = part_of_device();
	cudaStream_t outside;
	cudaEvent_t event;

	CHECK(cudaStreamCreateWithFlags(&outside, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK(cudaMemset(d_data, 0, bytes));
	CHECK(cudaDeviceSynchronize());
#if defined(HELD) || defined(HELD_ALL)
	hold(context, outside, event, d_data, h_back, bytes);
#else
	record(context, outside, event, d_data, h_back, bytes);
#endif
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(outside));
	CHECK(NEWER(cudaExecutionCtxDestroy)(context));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
