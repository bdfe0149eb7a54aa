// Two streams write the same buffer, and whoever is last may win. The fixed program says so: once
// for the buffer, once for a statement; what it does not speak of would still be found.
// expect: SC-105 at=second proven order=no_event
// expect: SC-105 at=fourth proven order=no_event
// expect[FIXED]: clean
#include "include/streamcheck/streamcheck.h"
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 12;
	float *d_first = on_device(N * sizeof(float)), *d_other = on_device(N * sizeof(float));
	cudaStream_t stream1, stream2;

	CHECK(cudaStreamCreate(&stream1));
	CHECK(cudaStreamCreate(&stream2));
	streamcheck_name_stream(stream1, "left");
	streamcheck_name_memory(d_first, N * sizeof(float), "scratch");
#ifdef FIXED
	streamcheck_benign(d_first, N * sizeof(float), "the last one may win");
#endif
	CHECK(cudaMemsetAsync(d_first, 1, N * sizeof(float), stream1));
	CHECK(cudaMemsetAsync(d_first, 2, N * sizeof(float), stream2)); // @second
	CHECK(cudaMemsetAsync(d_other, 1, N * sizeof(float), stream1));
#ifdef FIXED
	streamcheck::quiet quiet("SC-105", "the last one may win here, too");
#endif
	CHECK(cudaMemsetAsync(d_other, 2, N * sizeof(float), stream2)); // @fourth
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	CHECK(cudaFree(d_first));
	CHECK(cudaFree(d_other));
	return 0;
}
