// "Legacy Default Stream": it is a barrier between blocking streams, so a copy in stream 1, a
// memset in the default stream and a copy in stream 2 run in this order. It is none for
// non-blocking streams (-DNONBLOCKING).
// expect: clean
// expect[NONBLOCKING]: SC-105 cause=SC-107 at=middle proven
// expect[NONBLOCKING]: SC-106 cause=SC-107 at=last proven
// expect[NONBLOCKING]: SC-106 at=last proven order=no_event
#include "testcases/common.h"

#ifdef NONBLOCKING
static const unsigned flags = cudaStreamNonBlocking;
#else
static const unsigned flags = cudaStreamDefault;
#endif

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream1, stream2;

	fill(h_data, 5, N);
	CHECK(cudaStreamCreateWithFlags(&stream1, flags));
	CHECK(cudaStreamCreateWithFlags(&stream2, flags));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream1));
	CHECK(cudaMemsetAsync(d_data, 0, bytes / 2, 0));				// @middle
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream2)); // @last
	CHECK(cudaStreamSynchronize(stream2));
#ifdef NONBLOCKING
	CHECK(cudaDeviceSynchronize());
	printf("sum %g\n", sum(h_back, N));
#else
	verify(h_back, 0, N / 2);
	verify(h_back + N / 2, 5, N / 2);
#endif
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
