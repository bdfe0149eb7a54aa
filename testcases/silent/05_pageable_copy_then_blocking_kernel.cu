// A synchronous pageable copy, then kernels in a blocking stream and in the default stream: both
// come after it. (15.5 item 5)
// expect: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 12;
	const size_t bytes = N * sizeof(float);
	float *h_data = (float *)malloc(bytes);
	float *d_data = on_device(bytes), *d_other = on_device(bytes);
	cudaStream_t stream;

	fill(h_data, 1, N);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpy(d_data, h_data, bytes, cudaMemcpyHostToDevice));
	double_into<<<blocks_for(N), threads, 0, stream>>>(d_data, d_other, N);
	double_into<<<blocks_for(N), threads>>>(d_other, d_data, N);
	CHECK(cudaMemcpy(h_data, d_data, bytes, cudaMemcpyDeviceToHost));
	verify_kernel(h_data, 4, N);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(d_other));
	free(h_data);
	return 0;
}
