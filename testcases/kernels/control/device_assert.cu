// An assertion that fails in a kernel: the launch succeeds, the synchronization reports it, and the
// context is of no use afterwards.
// expect: SC-152 fix=assertion at=fails likely doubt=simulated_device when=executed
#include "testcases/common.h"

#include <assert.h>

__global__ void check_positive(const int *values)
{
	assert(values[threadIdx.x] > 0);
}

int main()
{
	int *values;
	cudaError_t expected = runs_kernels() ? cudaErrorAssert : cudaSuccess;

	CHECK(cudaMalloc(&values, 4 * sizeof(*values)));
	CHECK(cudaMemset(values, 1, 4 * sizeof(*values)));
	check_positive<<<1, 4>>>(values);
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemset(values + 2, 0, sizeof(*values)));
	check_positive<<<1, 4>>>(values); // @fails
	if (cudaDeviceSynchronize() != expected)
		return EXIT_WRONG;
	return cudaDeviceSynchronize() == expected ? 0 : EXIT_WRONG;
}
