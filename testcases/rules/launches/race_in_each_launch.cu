// A kernel that is launched 200 times has a race each time: the simulated device watches its
// first 64 launches, and each 16th later one, 73 in all.
// expect: SC-155 at=launch likely doubt=simulated_device fix=order_of_threads when=executed
// expect[FIXED]: clean
#include "testcases/common.h"

__global__ void step(int *data, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

	data[i] += i + 1;
#ifdef FIXED
	out[i] = data[i];
#else
	out[i] = data[(i + blockDim.x) % n]; // of the next block
#endif
}

int main()
{
	const int blocks = 2, threads = 32, n = blocks * threads;
	int *data, *out, sum = 0, *h_out;

	CHECK(cudaMalloc(&data, n * sizeof(int)));
	CHECK(cudaMalloc(&out, n * sizeof(int)));
	CHECK(cudaMallocHost(&h_out, n * sizeof(int)));
	CHECK(cudaMemset(data, 0, n * sizeof(int)));
	for (int turn = 0; turn < 200; turn++)
		step<<<blocks, threads>>>(data, out); // @launch
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(h_out, out, n * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		sum += h_out[i];
	printf("%d\n", sum != 0);
	CHECK(cudaFreeHost(h_out));
	CHECK(cudaFree(out));
	CHECK(cudaFree(data));
	return 0;
}
