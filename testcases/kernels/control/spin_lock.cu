// Blocks guard a counter by a spin lock: without the lock, or with a lock that two blocks get at
// once, increments are lost.
// expect: clean
#include "testcases/common.h"

#define BLOCKS 200
#define TURNS  5

__device__ int lock;

__global__ void count(volatile int *counter)
{
	if (threadIdx.x)
		return;
	for (int i = 0; i < TURNS; i++) {
		while (atomicCAS(&lock, 0, 1))
			;
		__threadfence();
		*counter = *counter + 1;
		__threadfence();
		atomicExch(&lock, 0);
	}
}

int main()
{
	int *counter, back = 0;
	cudaStream_t stream;

	if (!runs_kernels())
		return EXIT_SKIPPED;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&counter, sizeof(*counter)));
	CHECK(cudaMemset(counter, 0, sizeof(*counter)));
	CHECK(cudaDeviceSynchronize());
	count<<<BLOCKS, 64, 0, stream>>>(counter);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(&back, counter, sizeof(back), cudaMemcpyDeviceToHost));
	if (back != BLOCKS * TURNS)
		return EXIT_WRONG;
	CHECK(cudaFree(counter));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
