// A synchronous copy runs in the default stream, which waits for the kernel in a blocking stream,
// and holds the host until the result is there. (15.5 item 4)
// expect: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = (float *)malloc(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	add<<<blocks_for(N), threads, 0, stream>>>(d_data, 4, N);
	CHECK(cudaMemcpy(h_back, d_data, bytes, cudaMemcpyDeviceToHost));
	verify_kernel(h_back, 4, N);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	free(h_back);
	return 0;
}
