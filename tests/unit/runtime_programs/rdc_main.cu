/* A program of two separately compiled parts that share a variable and a device function. */
#include "check.h"

extern __device__ int common;
__device__ int twice(int value);
void launch_other(int *out);

__global__ void here(int *out)
{
	*out = twice(common);
}

int main()
{
	int *out = nullptr;
	int value = 3, found = 0;

	CHECK_CUDA(cudaMalloc(&out, sizeof(*out)));
	here<<<1, 1>>>(out);
	CHECK_CUDA(cudaGetLastError());
	launch_other(out);
	CHECK_CUDA(cudaMemcpyFromSymbol(&found, common, sizeof(found)));
	CHECK(found == 11);
	CHECK_CUDA(cudaMemcpyToSymbol(common, &value, sizeof(value)));
	CHECK_CUDA(cudaMemcpyFromSymbol(&found, common, sizeof(found)));
	CHECK(found == 3);
	CHECK_CUDA(cudaDeviceSynchronize());
	return 0;
}
