// Kernels in two streams read one buffer, and add to one counter by atomics. (15.5 item 12)
// expect: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

SC_KERNEL count_zeros(const float *data, int *count, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n && data[i] == 0)
		atomicAdd(count, 1);
}

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	int *h_count, *d_count;
	float *d_data = on_device(bytes);
	cudaStream_t first, second;

	CHECK(cudaMallocHost(&h_count, sizeof(*h_count)));
	CHECK(cudaMalloc(&d_count, sizeof(*d_count)));
	CHECK(cudaMemset(d_data, 0, bytes));
	CHECK(cudaMemset(d_count, 0, sizeof(*d_count)));
	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	count_zeros<<<blocks_for(N), threads, 0, first>>>(d_data, d_count, N);
	count_zeros<<<blocks_for(N), threads, 0, second>>>(d_data, d_count, N);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(h_count, d_count, sizeof(*h_count), cudaMemcpyDeviceToHost));
	if (runs_kernels() && *h_count != 2 * N)
		return EXIT_WRONG;
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(d_count));
	CHECK(cudaFreeHost(h_count));
	return 0;
}
