// Blocks of a cluster turn a row round: each reads what the opposite block has put into its shared
// memory, and then what the block before has left in global memory, and the barrier of each block
// orders its own threads only. ENDS: a block may have ended when another one reads its memory.
// expect: SC-154 at=launch likely doubt=simulated_device fix=barrier when=executed
// expect: SC-155 at=launch likely doubt=simulated_device fix=order_of_threads when=executed
// expect[LOOSE]: SC-154 at=launch likely doubt=simulated_device fix=barrier when=executed
// expect[LOOSE]: SC-155 at=launch likely doubt=simulated_device fix=order_of_threads when=executed
// expect[ENDS]: SC-154 at=launch likely doubt=simulated_device fix=barrier when=executed
// expect[FIXED]: clean
// nvcc: -arch=sm_90
#include <cooperative_groups.h>
#include "testcases/common.h"

namespace cg = cooperative_groups;

#define BLOCKS 4 // of a cluster
#define BLOCK  64

#if defined(FIXED) || defined(ENDS)
#define MEET cluster.sync()
#elif defined(LOOSE) // all come, and nothing is published
#define MEET                                                   \
	asm volatile("barrier.cluster.arrive.relaxed.aligned;" \
		     "barrier.cluster.wait.aligned;" ::        \
			     : "memory")
#else
#define MEET __syncthreads()
#endif

__global__ void __cluster_dims__(BLOCKS, 1, 1) turn(const int *in, int *left, int *out)
{
	__shared__ int part[BLOCK];
	cg::cluster_group cluster = cg::this_cluster();
	unsigned rank = cluster.block_rank(), t = threadIdx.x;
	unsigned first = (blockIdx.x - rank) * BLOCK, before = (rank + BLOCKS - 1) % BLOCKS;

	part[t] = in[blockIdx.x * BLOCK + t];
	left[blockIdx.x * BLOCK + t] = part[t] + 1;
	MEET;
	out[blockIdx.x * BLOCK + t] =
		cluster.map_shared_rank(part, BLOCKS - 1 - rank)[BLOCK - 1 - t] +
		left[first + before * BLOCK + t];
#ifndef ENDS
	cluster.sync(); // nobody reads the memory of a block that has ended
#endif
}

int main()
{
	const int blocks = 2 * BLOCKS;
	const size_t bytes = blocks * BLOCK * sizeof(int);
	int *in = (int *)on_device(bytes), *left = (int *)on_device(bytes);
	int *out = (int *)on_device(bytes);

	if (!is_simulated()) {
		printf("a GPU does not say what its threads do\n");
		return EXIT_SKIPPED;
	}
	CHECK(cudaMemset(in, 1, bytes));
	CHECK(cudaMemset(left, 0, bytes));	// what is read too early has a value
	turn<<<blocks, BLOCK>>>(in, left, out); // @launch
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(out));
	CHECK(cudaFree(left));
	CHECK(cudaFree(in));
	return 0;
}
