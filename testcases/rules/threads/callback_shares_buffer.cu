// A callback edits a result where the host thread edits it too, with nothing between the two.
// expect: SC-124 at=edit possible doubt=handed_over
// expect: SC-103 at=edit proven|possible doubt=handed_over order=none
// expect[FIXED]: clean
#include <atomic>

#include "testcases/common.h"

// Makes every run go the same way, the host thread first: relaxed, it orders nothing.
static std::atomic<bool> go;

static void CUDART_CB linger(void *)
{
	while (!go.load(std::memory_order_relaxed))
		;
}

static void CUDART_CB edit(void *data)
{
	*(float *)data = 5;
}

int main()
{
	const size_t bytes = 1 << 14;
	float *h_data = pinned(bytes), *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(h_data, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaLaunchHostFunc(stream, linger, NULL));
	CHECK(cudaLaunchHostFunc(stream, edit, h_data));
#ifdef FIXED
	go.store(true, std::memory_order_relaxed);
	CHECK(cudaStreamSynchronize(stream));
#endif
	h_data[0] = 6; // @edit
#ifndef FIXED
	go.store(true, std::memory_order_relaxed);
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
