// Relocatable device code (-rdc=true): functions and variables with external linkage, called
// directly, by pointers in constant memory, and through a table in shared memory.
// expect: clean
// nvcc: -rdc=true
#include "testcases/common.h"

typedef int (*step)(int);

__device__ int factor = 3;

__device__ __noinline__ int tripled(int n)
{
	return factor * n;
}

__device__ __noinline__ int halved(int n)
{
	return n / 2;
}

__constant__ step steps[2] = {halved, tripled};

__device__ __noinline__ int followed(int n, int depth)
{
	return depth ? followed(steps[n % 2](n) + n % 2, depth - 1) : n;
}

__global__ void follow(int *out)
{
	__shared__ step chosen[2];
	int i = threadIdx.x + blockIdx.x * blockDim.x;

	if (threadIdx.x < 2)
		chosen[threadIdx.x] = threadIdx.x ? halved : tripled;
	__syncthreads();
	out[i] = followed(i, 10) + chosen[i % 2](i);
}

HOST_LOOP int expected(int i)
{
	int n = i;

	for (int k = 0; k < 10; k++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return n + (i % 2 ? i / 2 : 3 * i);
}

int main()
{
	const int N = 200;
	int *d_out, *h_out;

	CHECK(cudaMalloc(&d_out, N * sizeof(int)));
	CHECK(cudaMallocHost(&h_out, N * sizeof(int)));
	follow<<<2, N / 2>>>(d_out);
	CHECK(cudaMemcpy(h_out, d_out, N * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; runs_kernels() && i < N; i++)
		if (h_out[i] != expected(i))
			return EXIT_WRONG;
	CHECK(cudaFree(d_out));
	CHECK(cudaFreeHost(h_out));
	return 0;
}
