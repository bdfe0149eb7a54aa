// Barriers in shared memory: the first warp of a block produces, the others consume, and they take
// turns with two cuda::barriers. Then the block counts votes with __syncthreads_count.
// expect: clean
// nvcc: -arch=sm_90
#include <cuda/barrier>
#include "testcases/common.h"

#define THREADS 128
#define WARP	32
#define TURNS	10

#pragma nv_diag_suppress static_var_with_dynamic_init // init() initializes the barriers

using barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ static void produce(int *buffer, barrier &filled, barrier &empty)
{
	for (int turn = 0; turn < TURNS; turn++) {
		empty.arrive_and_wait();
		for (int i = threadIdx.x; i < THREADS; i += WARP)
			buffer[i] = turn * 1000 + i;
		(void)filled.arrive();
	}
}

__device__ static int consume(const int *buffer, barrier &filled, barrier &empty)
{
	int sum = 0;

	(void)empty.arrive();
	for (int turn = 0; turn < TURNS; turn++) {
		filled.arrive_and_wait();
		sum += buffer[threadIdx.x];
		(void)empty.arrive();
	}
	return sum;
}

__global__ void take_turns(int *out)
{
	__shared__ barrier filled, empty;
	__shared__ int buffer[THREADS];
	int sum = 0, votes;

	if (threadIdx.x == 0) {
		init(&filled, blockDim.x);
		init(&empty, blockDim.x);
	}
	__syncthreads();
	if (threadIdx.x < WARP)
		produce(buffer, filled, empty);
	else
		sum = consume(buffer, filled, empty);
	votes = __syncthreads_count(threadIdx.x % 3 == 0);
	if (__syncthreads_and(votes > 0) && !__syncthreads_or(threadIdx.x > THREADS))
		out[blockIdx.x * THREADS + threadIdx.x] = sum + votes;
}

static int expected_of(int thread)
{
	int votes = (THREADS + 2) / 3, sum = 0;

	for (int turn = 0; turn < TURNS && thread >= WARP; turn++)
		sum += turn * 1000 + thread;
	return sum + votes;
}

int main()
{
	const int BLOCKS = 4;
	int *h_out = (int *)pinned(BLOCKS * THREADS * sizeof(int));
	int *d_out = (int *)on_device(BLOCKS * THREADS * sizeof(int));
	int wrong = 0;

	take_turns<<<BLOCKS, THREADS>>>(d_out);
	CHECK(cudaMemcpy(h_out, d_out, BLOCKS * THREADS * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; i < BLOCKS * THREADS; i++)
		wrong += h_out[i] != expected_of(i % THREADS);
	if (runs_kernels() && wrong)
		return EXIT_WRONG;
	CHECK(cudaFree(d_out));
	CHECK(cudaFreeHost(h_out));
	return 0;
}
