/* The other part of the separately compiled program. */
#include "check.h"

__device__ int common = 11;

__device__ int twice(int value)
{
	return 2 * value;
}

__global__ void there(int *out)
{
	*out = twice(common) + 1;
}

void launch_other(int *out)
{
	there<<<1, 1>>>(out);
	CHECK_CUDA(cudaGetLastError());
}
