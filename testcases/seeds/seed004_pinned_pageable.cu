// "Launching Memory Transfers in CUDA Streams": an asynchronous copy needs pinned memory to be
// asynchronous. From malloc'ed memory it works, and holds the host.
// expect: SC-301 at=copy proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 20;
	const size_t bytes = N * sizeof(float);
	float *d_data = on_device(bytes);
	float *result = (float *)malloc(bytes);
#ifdef FIXED
	float *src = pinned(bytes);
#else
	float *src = (float *)malloc(bytes);
#endif
	cudaStream_t stream;

	fill(src, 5, N);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(d_data, src, bytes, cudaMemcpyHostToDevice, stream)); // @copy
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(result, d_data, bytes, cudaMemcpyDeviceToHost));
	verify(result, 5, N);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
#ifdef FIXED
	CHECK(cudaFreeHost(src));
#else
	free(src);
#endif
	free(result);
	return 0;
}
