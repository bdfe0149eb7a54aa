// One stream copies out what another copies in. With -DREFILL the order is right the first time,
// and missing the other way round when the buffer is filled again.
// expect: SC-106 at=copy_out proven order=no_event
// expect[REFILL]: SC-106 at=refill proven order=no_event
// expect[FIXED]: clean
#include "testcases/common.h"

#if defined(FIXED) || defined(REFILL)
static void join(cudaStream_t from, cudaStream_t to)
{
	cudaEvent_t done;

	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaEventRecord(done, from));
	CHECK(cudaStreamWaitEvent(to, done, 0));
	CHECK(cudaEventDestroy(done));
}
#endif

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_first = pinned(bytes), *h_second = pinned(bytes), *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t in, out;

	fill(h_first, 1, N);
	fill(h_second, 2, N);
	CHECK(cudaStreamCreate(&in));
	CHECK(cudaStreamCreate(&out));
	CHECK(cudaMemcpyAsync(d_data, h_first, bytes, cudaMemcpyHostToDevice, in));
#if defined(FIXED) || defined(REFILL)
	join(in, out);
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, out)); // @copy_out
#ifdef FIXED
	join(out, in);
#endif
#if defined(FIXED) || defined(REFILL)
	CHECK(cudaMemcpyAsync(d_data, h_second, bytes, cudaMemcpyHostToDevice, in)); // @refill
#endif
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	verify(h_back, 1, N);
#endif
	CHECK(cudaStreamDestroy(in));
	CHECK(cudaStreamDestroy(out));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_first));
	CHECK(cudaFreeHost(h_second));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
