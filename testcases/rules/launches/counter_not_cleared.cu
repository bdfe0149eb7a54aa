// A counter that kernels add to is allocated and never cleared; a table that they read is filled in
// part only.
// expect: SC-409 at=adds likely doubt=simulated_device when=executed
// expect: SC-409 at=reads likely doubt=simulated_device when=executed
// expect[FIXED]: clean
#include "testcases/common.h"

__global__ void count(unsigned *counter, const int *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n && data[i] > 2)
		atomicAdd(counter, 1u);
}

__global__ void choose(int *to, const int *table, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		to[i] = table[i] * 2;
}

int main()
{
	const int N = 1 << 10;
	const size_t bytes = N * sizeof(int);
	int *h_data = (int *)pinned(bytes);
	int *data = (int *)on_device(bytes), *table = (int *)on_device(bytes);
	unsigned *counter = (unsigned *)on_device(sizeof(*counter));

	for (int i = 0; i < N; i++)
		h_data[i] = i % 5;
	CHECK(cudaMemcpy(data, h_data, bytes, cudaMemcpyHostToDevice));
#ifdef FIXED
	CHECK(cudaMemcpy(table, h_data, bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemset(counter, 0, sizeof(*counter)));
#else
	CHECK(cudaMemcpy(table, h_data, bytes - 64, cudaMemcpyHostToDevice));
#endif
	count<<<N / 256, 256>>>(counter, data, N); // @adds
	CHECK(cudaGetLastError());
	choose<<<N / 256, 256>>>(data, table, N); // @reads
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(counter));
	CHECK(cudaFree(table));
	CHECK(cudaFree(data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
