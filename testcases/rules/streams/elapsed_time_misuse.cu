// The time between two events is asked for, but they were created without timing.
// expect: SC-140 at=elapsed fix=timed_event proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const size_t bytes = 1 << 16;
	float *d_data = on_device(bytes), ms = 0;
	cudaStream_t stream;
	cudaEvent_t start, stop;
#ifdef FIXED
	const unsigned flags = cudaEventDefault;
#else
	const unsigned flags = cudaEventDisableTiming;
#endif

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreateWithFlags(&start, flags));
	CHECK(cudaEventCreateWithFlags(&stop, flags));
	CHECK(cudaEventRecord(start, stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaEventRecord(stop, stream));
	CHECK(cudaEventSynchronize(stop));
	if (cudaEventElapsedTime(&ms, start, stop) == cudaSuccess) // @elapsed
		printf("%g ms\n", ms);
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(stop));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
}
