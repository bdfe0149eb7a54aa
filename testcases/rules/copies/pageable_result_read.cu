// The result of an asynchronous copy to malloc'ed memory is sent on without a wait. Drivers of
// today block in the copy; since CUDA 12.2 the text does not promise it.
// expect: SC-203 at=use proven order=none
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 12;
	const size_t bytes = N * sizeof(float);
	float *h_data = (float *)malloc(bytes);
	float *d_data = on_device(bytes), *d_next = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaMemcpyAsync(h_data, d_data, bytes, cudaMemcpyDeviceToHost, stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaMemcpy(d_next, h_data, bytes, cudaMemcpyHostToDevice)); // @use
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	verify(h_data, 0, N);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(d_next));
	free(h_data);
	return 0;
}
