// A block turns its part round in shared memory: each thread reads what another one wrote, of
// another warp or of its own, and no barrier is between. The simulated device sees each access.
// WRITES: all warps write one slot, of which one is read; which of them came last is not known.
// expect: SC-154 at=launch likely doubt=simulated_device fix=barrier when=executed
// expect[WARP]: SC-154 at=launch likely doubt=simulated_device fix=barrier when=executed
// expect[LATE]: SC-154 at=launch likely doubt=simulated_device fix=barrier when=executed
// expect[WRITES]: SC-154 at=launch likely doubt=simulated_device fix=barrier when=executed
// expect[UNREAD]: clean
// expect[FIXED]: clean
// expect[ORDERED]: clean
#include "testcases/common.h"

#define BLOCK 128

#ifdef WARP
#define OTHER (threadIdx.x ^ 31)
#define ORDER
#elif defined(ORDERED) // lanes that meet
#define OTHER (threadIdx.x ^ 31)
#define ORDER __syncwarp()
#else
#define OTHER (BLOCK - 1 - threadIdx.x)
#ifdef FIXED
#define ORDER __syncthreads()
#else
#define ORDER
#endif
#endif

#if defined(WRITES) || defined(UNREAD)
__global__ void turn(int *data, int turns)
{
	__shared__ int last;

	last = threadIdx.x / 32;
	__syncthreads();
#ifdef UNREAD // it is written again before
	if (threadIdx.x == 0)
		last = turns;
	__syncthreads();
#endif
	if (threadIdx.x == 0)
		data[blockIdx.x * BLOCK] = last;
}
#else
__global__ void turn(int *data, int turns)
{
	__shared__ int part[BLOCK];

	for (int i = 0; i < turns; i++) {
#ifdef LATE // the barrier orders the first turn only
		part[threadIdx.x] = data[blockIdx.x * BLOCK + threadIdx.x];
		__syncthreads();
		data[blockIdx.x * BLOCK + threadIdx.x] = part[OTHER];
#else
		part[threadIdx.x] = data[blockIdx.x * BLOCK + threadIdx.x];
		ORDER;
		data[blockIdx.x * BLOCK + threadIdx.x] = part[OTHER];
		ORDER;
#endif
	}
}
#endif

int main()
{
	const int blocks = 32;
	const size_t bytes = blocks * BLOCK * sizeof(int);
	int *data = (int *)on_device(bytes);

	if (!is_simulated()) {
		printf("a GPU does not say what its threads do\n");
		return EXIT_SKIPPED;
	}
	turn<<<blocks, BLOCK>>>(data, 3); // @launch
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(data));
	return 0;
}
