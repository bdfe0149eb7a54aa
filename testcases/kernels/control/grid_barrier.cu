// All blocks of a cooperative launch meet at a barrier made of atomics, again and again: in each
// phase every block reads what its neighbour wrote in the phase before.
// expect: clean
#include "testcases/common.h"

#define BLOCKS	64
#define THREADS 128
#define PHASES	12

__device__ unsigned int arrived;
__device__ volatile unsigned int phase_done;

__device__ void meet(unsigned int phase)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		if (atomicAdd(&arrived, 1) == gridDim.x * phase - 1)
			phase_done = phase;
		while (phase_done < phase)
			;
		__threadfence();
	}
	__syncthreads();
}

__global__ void rotate(int *first, int *second)
{
	int here = blockIdx.x * blockDim.x + threadIdx.x;
	int next = (blockIdx.x + 1) % gridDim.x * blockDim.x + threadIdx.x;

	for (unsigned int phase = 1; phase <= PHASES; phase++) {
		const volatile int *from = phase % 2 ? first : second;
		volatile int *to = phase % 2 ? second : first;

		to[here] = from[next] + 1;
		meet(phase);
	}
}

int main()
{
	static int back[BLOCKS * THREADS];
	int *first, *second;
	void *params[] = {&first, &second};
	cudaStream_t stream;

	if (!runs_kernels())
		return EXIT_SKIPPED;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&first, sizeof(back)));
	CHECK(cudaMalloc(&second, sizeof(back)));
	for (int i = 0; i < BLOCKS * THREADS; i++)
		back[i] = i;
	CHECK(cudaMemcpy(first, back, sizeof(back), cudaMemcpyHostToDevice));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaLaunchCooperativeKernel((const void *)rotate, dim3(BLOCKS), dim3(THREADS), params,
					  0, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(back, first, sizeof(back), cudaMemcpyDeviceToHost));
	for (int i = 0; i < BLOCKS * THREADS; i++)
		if (back[i] != (i / THREADS + PHASES) % BLOCKS * THREADS + i % THREADS + PHASES)
			return EXIT_WRONG;
	CHECK(cudaFree(first));
	CHECK(cudaFree(second));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
