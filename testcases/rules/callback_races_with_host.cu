// A host function adds to a pinned result while the host, which waited for the copy only, does too.
// expect: SC-124 at=host proven|possible
// expect[FIXED]: clean
#include "testcases/common.h"

static void CUDART_CB addOne(void *userData)
{
	float *result = (float *)userData;

	*result += 1;
}

int main()
{
	const size_t bytes = 4096;
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaLaunchHostFunc(stream, addOne, h_back));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
	h_back[0] += 1;
	verify(h_back, 2, 1);
#else
	h_back[0] += 1; // @host
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
