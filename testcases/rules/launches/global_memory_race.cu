// Blocks add parts of a sum, and the last one that comes adds up the parts of all. Without a fence,
// with one for the block only, or without a barrier before it, others' parts may not be there.
// The simulated device sees each access, whatever the order of this run was.
// expect: SC-155 at=launch likely doubt=simulated_device fix=order_of_threads when=executed
// expect[NARROW]: SC-155 at=launch likely doubt=simulated_device fix=order_of_threads when=executed
// expect[EARLY]: SC-155 at=launch likely doubt=simulated_device fix=order_of_threads when=executed
// expect[FIXED]: clean
// expect[ATOMIC]: clean
#include "testcases/common.h"

#define BLOCK 64

#if defined(NARROW)
#define FENCE __threadfence_block()
#elif defined(FIXED) || defined(EARLY)
#define FENCE __threadfence()
#else
#define FENCE
#endif

#ifdef EARLY // before the other warp has written
#define ALL_WROTE
#else
#define ALL_WROTE __syncthreads()
#endif

__global__ void add_up(const int *data, int *parts, unsigned *done, int *sum)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;

#ifdef ATOMIC // needs no order
	atomicAdd(sum, data[i]);
	(void)parts, (void)done;
#else
	__shared__ bool is_last;

	parts[i] = data[i] + 1;
	FENCE;
	ALL_WROTE;
	if (threadIdx.x == 0) {
		is_last = atomicAdd(done, 1) == gridDim.x - 1;
		__threadfence();
	}
	__syncthreads();
	if (is_last && threadIdx.x == 0)
		for (int k = 0; k < gridDim.x * BLOCK; k++)
			*sum += parts[k];
#endif
}

int main()
{
	const int blocks = 8;
	const size_t bytes = blocks * BLOCK * sizeof(int);
	int *data = (int *)on_device(bytes), *parts = (int *)on_device(bytes);
	int *sum = (int *)on_device(sizeof(int));
	unsigned *done = (unsigned *)on_device(sizeof(unsigned));

	if (!is_simulated()) {
		printf("a GPU does not say what its threads do\n");
		return EXIT_SKIPPED;
	}
	CHECK(cudaMemset(data, 0, bytes));
	CHECK(cudaMemset(done, 0, sizeof(unsigned)));
	CHECK(cudaMemset(sum, 0, sizeof(int)));
	CHECK(cudaDeviceSynchronize());
	add_up<<<blocks, BLOCK>>>(data, parts, done, sum); // @launch
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(data));
	CHECK(cudaFree(parts));
	CHECK(cudaFree(sum));
	CHECK(cudaFree(done));
	return 0;
}
