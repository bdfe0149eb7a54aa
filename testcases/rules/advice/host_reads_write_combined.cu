// A host function adds up what was copied into write-combined memory, which the host reads very
// slowly.
// expect: SC-317 at=read allocated=alloc proven
// expect[FIXED]: clean
#include "testcases/common.h"

static const int N = 1 << 12;
static float total;

static void CUDART_CB add_up(void *data)
{
	total = sum((const float *)data, N); // @read
}

int main()
{
	const size_t bytes = N * sizeof(float);
	float *h_data = NULL, *d_data = on_device(bytes);
	cudaStream_t stream;

#ifdef FIXED
	h_data = pinned(bytes);
#else
	CHECK(cudaHostAlloc(&h_data, bytes, cudaHostAllocWriteCombined)); // @alloc
#endif
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaMemcpyAsync(h_data, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaLaunchHostFunc(stream, add_up, h_data));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return total == 0 ? 0 : EXIT_WRONG;
}
