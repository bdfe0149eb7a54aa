// Kernels that read and write the host's memory: mapped pinned memory by its device pointer, memory
// of malloc that the program registers, and managed memory that both sides use in turns.
// expect: clean
#include "testcases/compute.h"

static const int N = 3000;

__managed__ int factor = 3;
__managed__ int table[16];

__global__ void scale(const int *in, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < N)
		out[i] = in[i] * factor + table[i % 16];
}

__global__ void fill_table(int step)
{
	table[threadIdx.x] = threadIdx.x * step;
}

__global__ void halve(int *data)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < N)
		data[i] /= 2;
}

int main()
{
	need_kernels();
	int *mapped, *d_mapped, *managed, *own = (int *)malloc(N * sizeof(int)), *d_own;
	int *want = (int *)malloc(N * sizeof(int));

	CHECK(cudaHostAlloc(&mapped, N * sizeof(int), cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer(&d_mapped, mapped, 0));
	CHECK(cudaMallocManaged(&managed, N * sizeof(int)));
	CHECK(cudaHostRegister(own, N * sizeof(int), cudaHostRegisterMapped));
	CHECK(cudaHostGetDevicePointer(&d_own, own, 0));
	for (int i = 0; i < N; i++)
		mapped[i] = i - 1000;
	fill_table<<<1, 16>>>(5);
	scale<<<(N + 255) / 256, 256>>>(d_mapped, managed);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < N; i++)
		want[i] = (i - 1000) * 3 + i % 16 * 5;
	expect_equal("managed from mapped", managed, want, N);
	expect_value("table", table[15], 75);
	factor = -2;
	table[1] = 1000;
	scale<<<(N + 255) / 256, 256>>>(managed, d_own);
	halve<<<(N + 255) / 256, 256>>>(d_own);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < N; i++)
		want[i] = (want[i] * -2 + (i % 16 == 1 ? 1000 : i % 16 * 5)) / 2;
	expect_equal("registered from managed", own, want, N);
	CHECK(cudaHostUnregister(own));
	CHECK(cudaFreeHost(mapped));
	CHECK(cudaFree(managed));
	free(own);
	free(want);
	return 0;
}
