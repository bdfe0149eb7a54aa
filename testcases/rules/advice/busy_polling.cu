// A thread asks a hundred thousand times whether a stream has finished.
// expect: SC-309 at=query proven
// expect[FIXED]: clean
#include <atomic>
#include <thread>
#include "testcases/common.h"

static const int most = 120000;
static std::atomic<int> queries;

// Device work that takes as long as the host has patience.
static void CUDART_CB take_long(void *)
{
	while (queries < most)
		std::this_thread::yield();
}

#ifndef FIXED
static bool is_pending(cudaStream_t stream)
{
	cudaError_t answer = cudaStreamQuery(stream); // @query

	if (answer != cudaErrorNotReady)
		CHECK(answer);
	return answer == cudaErrorNotReady;
}
#endif

int main()
{
	const int N = 1 << 12;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaLaunchHostFunc(stream, take_long, NULL));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
#ifdef FIXED
	queries = most;
	CHECK(cudaStreamSynchronize(stream));
#else
	while (is_pending(stream))
		queries++;
#endif
	verify(h_back, 0, N);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
