// cudaMemcpy from malloc'ed memory returns when the source is staged, not when the device has the
// data; a non-blocking stream that uses the data is not held back.
// expect: SC-106 cause=SC-108 at=copy_out proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 18;
	const size_t bytes = N * sizeof(float);
	float *h_data = (float *)malloc(bytes), *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	fill(h_data, 4, N);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMemcpy(d_data, h_data, bytes, cudaMemcpyHostToDevice));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(cudaStreamLegacy));
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream)); // @copy_out
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
	verify(h_back, 4, N);
#else
	CHECK(cudaDeviceSynchronize());
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	free(h_data);
	return 0;
}
