// "Stream Synchronization" by polling: cudaStreamQuery until it answers cudaSuccess is as good as a
// wait. With -DEARLY the last copy is enqueued behind the successful query, which cannot cover it.
// expect: clean
// expect[EARLY]: SC-101 at=read proven order=none
#include "testcases/common.h"

static int poll(cudaStream_t stream)
{
	int polls = 1;

	while (cudaStreamQuery(stream) == cudaErrorNotReady)
		polls++;
	CHECK(cudaStreamQuery(stream));
	return polls;
}

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	fill(h_data, 5, N);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
#ifdef EARLY
	poll(stream);
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
#ifdef EARLY
	printf("sum %g\n", sum(h_back, N)); // @read
	CHECK(cudaStreamSynchronize(stream));
#else
	poll(stream);
	verify(h_back, 5, N);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
