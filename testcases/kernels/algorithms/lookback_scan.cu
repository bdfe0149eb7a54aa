// A prefix sum in one launch: each block takes a number, sums its part, and looks back at the
// blocks before it, waiting for those that have published nothing yet.
// expect: clean
#include "testcases/common.h"

#define THREADS 256
#define BLOCKS	300

enum { NOTHING, PARTIAL, PREFIX }; // what a block has published, in the high half of its word

__device__ unsigned int numbers;
__device__ unsigned long long published[BLOCKS];

__device__ void publish(unsigned int block, unsigned long long what, unsigned int value)
{
	__threadfence();
	atomicExch(&published[block], what << 32 | value);
}

__device__ unsigned int look_back(int block)
{
	unsigned int sum = 0;

	for (int i = block - 1; i >= 0; i--) {
		unsigned long long word;

		do
			word = atomicAdd(&published[i], 0ull);
		while (word >> 32 == NOTHING);
		sum += (unsigned int)word;
		if (word >> 32 == PREFIX)
			break;
	}
	return sum;
}

__global__ void scan(const unsigned int *in, unsigned int *out)
{
	__shared__ unsigned int block, before, sums[THREADS];

	if (threadIdx.x == 0)
		block = atomicAdd(&numbers, 1);
	__syncthreads();
	sums[threadIdx.x] = in[block * THREADS + threadIdx.x];
	for (int d = 1; d < THREADS; d *= 2) {
		__syncthreads();
		unsigned int left = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
		__syncthreads();
		sums[threadIdx.x] += left;
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		publish(block, PARTIAL, sums[THREADS - 1]);
		before = look_back((int)block);
		publish(block, PREFIX, before + sums[THREADS - 1]);
	}
	__syncthreads();
	out[block * THREADS + threadIdx.x] = before + sums[threadIdx.x];
}

int main()
{
	static unsigned int data[BLOCKS * THREADS], back[BLOCKS * THREADS];
	unsigned int *in, *out, sum = 0;
	cudaStream_t stream;

	if (!runs_kernels())
		return EXIT_SKIPPED;
	for (int i = 0; i < BLOCKS * THREADS; i++)
		data[i] = (unsigned int)(i * 7 % 101);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&in, sizeof(data)));
	CHECK(cudaMalloc(&out, sizeof(data)));
	CHECK(cudaMemcpy(in, data, sizeof(data), cudaMemcpyHostToDevice));
	CHECK(cudaDeviceSynchronize());
	scan<<<BLOCKS, THREADS, 0, stream>>>(in, out);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(back, out, sizeof(back), cudaMemcpyDeviceToHost));
	for (int i = 0; i < BLOCKS * THREADS; i++) {
		sum += data[i];
		if (back[i] != sum)
			return EXIT_WRONG;
	}
	CHECK(cudaFree(in));
	CHECK(cudaFree(out));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
