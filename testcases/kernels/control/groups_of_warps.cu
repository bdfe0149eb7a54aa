// Tiles of several warps: they meet, reduce and scan by shared memory that cooperative groups find
// by a special register on devices of sm_80 and newer.
// expect: clean
// nvcc: -arch=sm_80
#include <string.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include "testcases/common.h"

namespace cg = cooperative_groups;

const int THREADS = 256, ROUNDS = 3;

// Each tile sums and scans its own threads' numbers, several times with the same memory.
template <int SIZE> __global__ void tiles(const int *in, int *sums, int *scans, int *votes)
{
	__shared__ cg::block_tile_memory<THREADS> memory;
	__shared__ int own[THREADS]; // may not overlap what the tiles use
	auto block = cg::this_thread_block(memory);
	auto tile = cg::tiled_partition<SIZE>(block);
	int at = blockIdx.x * THREADS + threadIdx.x, sum = 0;

	own[threadIdx.x] = in[at];
	for (int round = 0; round < ROUNDS; round++) {
		sum += cg::reduce(tile, in[at] + round, cg::plus<int>());
		tile.sync();
	}
	sums[at] = sum;
	scans[at] = cg::inclusive_scan(tile, own[threadIdx.x]);
	votes[at] = tile.any(in[at] == 17);
}

template <int SIZE> static bool is_right(const int *in, int *results, int n)
{
	int *sums = results, *scans = results + n, *votes = results + 2 * n;

	memset(results, 0, 3 * n * sizeof(int));
	tiles<SIZE><<<n / THREADS, THREADS>>>(in, sums, scans, votes);
	CHECK(cudaDeviceSynchronize());
	for (int first = 0; runs_kernels() && first < n; first += SIZE) {
		int sum = 0, vote = 0;

		for (int i = first; i < first + SIZE; i++) {
			sum += in[i];
			vote |= in[i] == 17;
			if (scans[i] != sum)
				return false;
		}
		for (int i = first; i < first + SIZE; i++)
			if (sums[i] != ROUNDS * sum + SIZE * ROUNDS * (ROUNDS - 1) / 2 ||
			    votes[i] != vote)
				return false;
	}
	return true;
}

int main()
{
	const int n = 4 * THREADS;
	int *in, *results;

	CHECK(cudaMallocHost(&in, n * sizeof(int)));
	CHECK(cudaMallocHost(&results, 3 * n * sizeof(int)));
	for (int i = 0; i < n; i++)
		in[i] = i * 7919 % 1000;
	in[n / 2] = 17;
	if (!is_right<64>(in, results, n) || !is_right<128>(in, results, n) ||
	    !is_right<256>(in, results, n))
		return EXIT_WRONG;
	CHECK(cudaFreeHost(in));
	CHECK(cudaFreeHost(results));
	return 0;
}
