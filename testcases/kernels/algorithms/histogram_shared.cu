// A histogram of bytes: each block counts in shared memory with atomics, then adds its counts to
// those of all blocks; a second kernel counts with one atomic for each group of equal lanes.
// expect: clean
#include "testcases/compute.h"

static const int BINS = 256, N = 40003;

__global__ void count_by_block(const unsigned char *in, unsigned *bins)
{
	__shared__ unsigned mine[BINS];

	for (int i = threadIdx.x; i < BINS; i += blockDim.x)
		mine[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
		atomicAdd(&mine[in[i]], 1u);
	__syncthreads();
	for (int i = threadIdx.x; i < BINS; i += blockDim.x)
		if (mine[i])
			atomicAdd(&bins[i], mine[i]);
}

__global__ void count_by_warp(const unsigned char *in, unsigned *bins)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= N)
		return;
	unsigned same = __match_any_sync(__activemask(), in[i]);

	if (threadIdx.x % 32 == __ffs(same) - 1)
		atomicAdd(&bins[in[i]], __popc(same));
}

int main()
{
	need_kernels();
	unsigned char *in = host_array<unsigned char>(N);
	unsigned *got = host_array<unsigned>(BINS), *want = host_array<unsigned>(BINS);
	unsigned state = 11;

	for (int i = 0; i < N; i++) {
		in[i] = random_next(&state) % 200 * random_next(&state) % 251;
		want[in[i]]++;
	}
	unsigned char *d_in = device_copy(in, N);
	unsigned *d_bins = device_zeros<unsigned>(2 * BINS);

	count_by_block<<<5, 192>>>(d_in, d_bins);
	count_by_warp<<<(N + 127) / 128, 128>>>(d_in, d_bins + BINS);
	read_back(got, d_bins, BINS);
	expect_equal("by block", got, want, BINS);
	read_back(got, d_bins + BINS, BINS);
	expect_equal("by warp", got, want, BINS);
	free_device(d_in, d_bins);
	free_host(in, got, want);
	return 0;
}
