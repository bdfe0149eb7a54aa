// An event of the whole context is recorded before the copy whose result the host reads.
// expect: SC-101 cause=SC-112 at=read proven
// expect[FIXED]: clean
// expect[HELD]: clean
#include "testcases/driver.h"

// Three kinds of streams, all of one context.
struct streams {
	cudaStream_t blocking, other, legacy;
};

static void copy_out(const struct streams *s, float *d_data, float *h_back, int third)
{
	const size_t bytes = third * sizeof(float);

	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, s->blocking));
	CHECK(cudaMemcpyAsync(h_back + third, d_data + third, bytes, cudaMemcpyDeviceToHost,
			      s->other));
	CHECK(cudaMemcpyAsync(h_back + 2 * third, d_data + 2 * third, bytes, cudaMemcpyDeviceToHost,
			      s->legacy));
}

int main()
{
	const int third = 1 << 14;
	const size_t bytes = 3 * third * sizeof(float);
	float *h_back = pinned(bytes), *d_data = on_device(bytes);
	struct streams s = {.legacy = cudaStreamLegacy};
	CUcontext context;
	cudaEvent_t event;

	CHECK(cudaStreamCreate(&s.blocking));
	CHECK(cudaStreamCreateWithFlags(&s.other, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	DRIVER_CHECK(DRIVER(cuCtxGetCurrent)(&context));
#ifdef HELD
	CHECK(cudaMemsetAsync(d_data, 0, bytes, s.other));
	CHECK(cudaEventRecord(event, s.other));
	DRIVER_CHECK(DRIVER(cuCtxWaitEvent)(context, event));
#else
	CHECK(cudaMemset(d_data, 0, bytes));
	CHECK(cudaDeviceSynchronize());
#endif
#if defined(FIXED) || defined(HELD)
	copy_out(&s, d_data, h_back, third);
	DRIVER_CHECK(DRIVER(cuCtxRecordEvent)(context, event));
#else
	DRIVER_CHECK(DRIVER(cuCtxRecordEvent)(context, event));
	copy_out(&s, d_data, h_back, third);
#endif
	CHECK(cudaEventSynchronize(event));
	printf("%g\n", sum(h_back + third, third)); // @read
	CHECK(cudaEventDestroy(event));
#if !defined(FIXED) && !defined(HELD)
	CHECK(cudaDeviceSynchronize());
#endif
	CHECK(cudaStreamDestroy(s.blocking));
	CHECK(cudaStreamDestroy(s.other));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
