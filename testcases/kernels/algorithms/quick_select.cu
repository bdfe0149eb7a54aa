// The k-th smallest of many numbers without sorting: the host chooses a pivot, a kernel counts and
// divides by warp votes and atomics, and the host goes on with the part that has it.
// expect: clean
#include "testcases/compute.h"

#include <algorithm>

static const int N = 4000, MOST_ROUNDS = 64;

// Numbers below the pivot go to `low`, those above it to `high`; how many there are is counted.
__global__ void divide(const int *in, int n, int pivot, int *low, int *high, int *counts)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
	bool is_low = i < n && in[i] < pivot, is_high = i < n && in[i] > pivot;
	unsigned lows = __ballot_sync(0xffffffff, is_low),
		 highs = __ballot_sync(0xffffffff, is_high);
	int first_low = 0, first_high = 0;

	if (lane == 0) {
		first_low = atomicAdd(&counts[0], __popc(lows));
		first_high = atomicAdd(&counts[1], __popc(highs));
	}
	first_low = __shfl_sync(0xffffffff, first_low, 0);
	first_high = __shfl_sync(0xffffffff, first_high, 0);
	if (is_low)
		low[first_low + __popc(lows & ((1u << lane) - 1))] = in[i];
	if (is_high)
		high[first_high + __popc(highs & ((1u << lane) - 1))] = in[i];
}

// The k-th number of those at d_in; the three buffers are used in turns.
static int select(int *d_in, int *d_low, int *d_high, int *d_counts, int k)
{
	int n = N, *counts = host_array<int>(2), *pivot = host_array<int>(1), result = -1;

	for (int round = 0; round < MOST_ROUNDS; round++) {
		read_back(pivot, d_in + n / 2, 1);
		CHECK(cudaMemset(d_counts, 0, 2 * sizeof(int)));
		divide<<<(n + 127) / 128, 128>>>(d_in, n, *pivot, d_low, d_high, d_counts);
		read_back(counts, d_counts, 2);
		if (k < counts[0]) {
			std::swap(d_in, d_low);
			n = counts[0];
		} else if (k >= n - counts[1]) {
			k -= n - counts[1];
			std::swap(d_in, d_high);
			n = counts[1];
		} else {
			result = *pivot;
			break;
		}
	}
	free_host(counts, pivot);
	return result;
}

int main()
{
	need_kernels();
	int *in = host_array<int>(N), *d_low = device_array<int>(N), *d_high = device_array<int>(N);
	int *d_in = device_array<int>(N), *d_counts = device_array<int>(2), got[5], want[5];
	unsigned state = 89;

	for (int i = 0; i < N; i++)
		in[i] = random_next(&state) % 3000;
	for (int i = 0; i < 5; i++) {
		CHECK(cudaMemcpy(d_in, in, N * sizeof(int), cudaMemcpyHostToDevice));
		got[i] = select(d_in, d_low, d_high, d_counts, (N - 1) * i / 4);
	}
	std::sort(in, in + N);
	for (int i = 0; i < 5; i++)
		want[i] = in[(N - 1) * i / 4];
	expect_equal("quartiles", got, want, 5);
	free_device(d_in, d_low, d_high, d_counts);
	free_host(in);
	return 0;
}
