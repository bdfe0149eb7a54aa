// Lanes of a warp differ in how much they have to do, and might leave it by a call that does not
// return, at the end of the kernel's text; all meet at the barrier after it.
// expect: clean
#include "testcases/compute.h"

extern "C" __attribute__((noreturn)) __device__ void __assertfail(const void *, const void *,
								  unsigned, const void *, size_t);

static const int THREADS = 96;

__global__ void count_steps(const int *start, int *steps, int *most)
{
	__shared__ int counts[THREADS];
	int count = 0;

	for (int n = start[threadIdx.x]; n > 1; n = n % 2 ? 3 * n + 1 : n / 2)
		if (++count > 1000)
			__assertfail("no end", "calls_for_good.cu", 19, "count_steps", 1);
	counts[threadIdx.x] = count;
	__syncthreads();
	steps[threadIdx.x] = counts[THREADS - 1 - threadIdx.x];
	for (int distance = 16; distance; distance /= 2)
		count = max(count, __shfl_xor_sync(0xffffffff, count, distance));
	if (threadIdx.x % 32 == 0)
		most[threadIdx.x / 32] = count;
}

int main()
{
	need_kernels();
	int *start = host_array<int>(THREADS), *got = host_array<int>(THREADS + 3);
	int *want = host_array<int>(THREADS + 3);

	for (int i = 0; i < THREADS; i++) {
		int count = 0;

		start[i] = i % 3 ? 5 * i : 0;
		for (int n = start[i]; n > 1; n = n % 2 ? 3 * n + 1 : n / 2)
			count++;
		want[THREADS - 1 - i] = count;
		if (count > want[THREADS + i / 32])
			want[THREADS + i / 32] = count;
	}
	int *d_start = device_copy(start, THREADS), *d_out = device_zeros<int>(THREADS + 3);

	count_steps<<<1, THREADS>>>(d_start, d_out, d_out + THREADS);
	read_back(got, d_out, THREADS + 3);
	expect_equal("steps", got, want, THREADS + 3);
	free_device(d_start, d_out);
	free_host(start, got, want);
	return 0;
}
