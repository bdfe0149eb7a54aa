// A prefix sum over several blocks, in two ways: three kernels (blocks, sums of blocks, addition),
// and one kernel whose blocks wait for the sums of the blocks before them.
// expect: clean
#include "testcases/compute.h"

static const int THREADS = 128, BLOCKS = 20, N = THREADS * BLOCKS;

// The inclusive scan of a block, in shared memory with two buffers.
__device__ static int scan_block(int value)
{
	__shared__ int data[2][THREADS];
	int now = 0;

	data[0][threadIdx.x] = value;
	for (int distance = 1; distance < THREADS; distance *= 2) {
		__syncthreads();
		int sum = data[now][threadIdx.x];

		if (threadIdx.x >= distance)
			sum += data[now][threadIdx.x - distance];
		now = 1 - now;
		data[now][threadIdx.x] = sum;
	}
	return data[now][threadIdx.x];
}

__global__ void scan_blocks(const int *in, int *out, int *sums)
{
	int i = blockIdx.x * THREADS + threadIdx.x, sum = scan_block(in[i]);

	out[i] = sum;
	if (threadIdx.x == THREADS - 1)
		sums[blockIdx.x] = sum;
}

__global__ void scan_sums(int *sums)
{
	int sum = scan_block(threadIdx.x < BLOCKS ? sums[threadIdx.x] : 0);

	if (threadIdx.x < BLOCKS)
		sums[threadIdx.x] = sum;
}

__global__ void add_sums(int *out, const int *sums)
{
	if (blockIdx.x)
		out[blockIdx.x * THREADS + threadIdx.x] += sums[blockIdx.x - 1];
}

// A word for each block: its flag in the high half, the sum of all up to it in the low half.
__global__ void scan_at_once(const int *in, int *out, volatile unsigned long long *words,
			     int *ticket)
{
	__shared__ int block, before;

	// Blocks number themselves as they start: those before are running already.
	if (threadIdx.x == 0)
		block = atomicAdd(ticket, 1);
	__syncthreads();
	int i = block * THREADS + threadIdx.x, sum = scan_block(in[i]);

	if (threadIdx.x == THREADS - 1) {
		unsigned long long word = 1ull << 32;

		while (block && !((word = words[block - 1]) >> 32))
			;
		before = (int)(unsigned)word;
		__threadfence();
		words[block] = 1ull << 32 | (unsigned)(before + sum);
	}
	__syncthreads();
	out[i] = before + sum;
}

int main()
{
	need_kernels();
	int *in = host_array<int>(N), *got = host_array<int>(N), *want = host_array<int>(N);
	int *d_out = device_array<int>(N), *d_sums = device_array<int>(BLOCKS);
	unsigned long long *d_words = device_zeros<unsigned long long>(BLOCKS);
	int *d_ticket = device_zeros<int>(1);
	unsigned state = 59;

	for (int i = 0; i < N; i++) {
		in[i] = random_next(&state) % 100;
		want[i] = (i ? want[i - 1] : 0) + in[i];
	}
	int *d_in = device_copy(in, N);

	scan_blocks<<<BLOCKS, THREADS>>>(d_in, d_out, d_sums);
	scan_sums<<<1, THREADS>>>(d_sums);
	add_sums<<<BLOCKS, THREADS>>>(d_out, d_sums);
	read_back(got, d_out, N);
	expect_equal("three kernels", got, want, N);
	CHECK(cudaMemset(d_out, 0, N * sizeof(int)));
	scan_at_once<<<BLOCKS, THREADS>>>(d_in, d_out, d_words, d_ticket);
	read_back(got, d_out, N);
	expect_equal("one kernel", got, want, N);
	free_device(d_in, d_out, d_sums, d_words, d_ticket);
	free_host(in, got, want);
	return 0;
}
