// Blocks give a word its first value by atomicExch, of which they do not want the result: a write
// like any other. One that keeps what was there has read it.
// expect: SC-409 at=keeps likely doubt=simulated_device when=executed
// expect[FIXED]: clean
#include "testcases/common.h"

__global__ void give(unsigned *last)
{
	if (threadIdx.x == 0)
		atomicExch(last, blockIdx.x + 1);
}

__global__ void count(unsigned *last)
{
	atomicAdd(last, 1u);
}

__global__ void keep(unsigned *last, unsigned *before)
{
	before[blockIdx.x] = atomicExch(last, 5) + 1;
}

int main()
{
	unsigned *last = (unsigned *)on_device(sizeof(*last));
	unsigned *other = (unsigned *)on_device(sizeof(*other));
	unsigned *before = (unsigned *)on_device(4 * sizeof(*before));

	give<<<4, 32>>>(last);
	CHECK(cudaGetLastError());
	count<<<1, 32>>>(last);
	CHECK(cudaGetLastError());
#ifdef FIXED
	CHECK(cudaMemset(other, 0, sizeof(*other)));
#endif
	keep<<<4, 1>>>(other, before); // @keeps
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(before));
	CHECK(cudaFree(other));
	CHECK(cudaFree(last));
	return 0;
}
