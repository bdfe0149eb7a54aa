// CUB inside a kernel: a block's sort, scan and reduction, a warp's scan; and the device-wide
// histogram.
// expect: clean
#include "testcases/compute.h"

#include <algorithm>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/warp/warp_scan.cuh>
#include <numeric>

static const int THREADS = 128, ITEMS = 4, BLOCKS = 5, TILE = THREADS * ITEMS, N = TILE * BLOCKS;
static const int BINS = 10;

// Each block sorts its tile, and gives the scan of the sorted items and their largest one.
__global__ void of_block(const int *in, int *sorted, int *scanned, int *largest)
{
	using sort = cub::BlockRadixSort<int, THREADS, ITEMS>;
	using scan = cub::BlockScan<int, THREADS>;
	using reduce = cub::BlockReduce<int, THREADS>;
	__shared__ union {
		typename sort::TempStorage sort;
		typename scan::TempStorage scan;
		typename reduce::TempStorage reduce;
	} shared;
	int items[ITEMS], sums[ITEMS], first = blockIdx.x * TILE + threadIdx.x * ITEMS;

	for (int i = 0; i < ITEMS; i++)
		items[i] = in[first + i];
	sort(shared.sort).Sort(items);
	__syncthreads();
	scan(shared.scan).InclusiveSum(items, sums);
	__syncthreads();
	int most = reduce(shared.reduce).Reduce(items[ITEMS - 1], cuda::maximum<int>());
	for (int i = 0; i < ITEMS; i++) {
		sorted[first + i] = items[i];
		scanned[first + i] = sums[i];
	}
	if (threadIdx.x == 0)
		largest[blockIdx.x] = most;
}

__global__ void of_warp(const int *in, int *out)
{
	using scan = cub::WarpScan<int>;
	__shared__ typename scan::TempStorage shared[THREADS / 32];
	int i = blockIdx.x * THREADS + threadIdx.x, sum;

	scan(shared[threadIdx.x / 32]).ExclusiveSum(in[i], sum);
	out[i] = sum;
}

static void count_bins(const int *in, const int *d_in)
{
	int *d_bins = device_array<int>(BINS), *got = host_array<int>(BINS);
	int *want = host_array<int>(BINS);
	void *temporary = NULL;
	size_t bytes = 0;

	CHECK(cub::DeviceHistogram::HistogramEven(temporary, bytes, d_in, d_bins, BINS + 1, 0, 1000,
						  N));
	CHECK(cudaMalloc(&temporary, bytes));
	CHECK(cub::DeviceHistogram::HistogramEven(temporary, bytes, d_in, d_bins, BINS + 1, 0, 1000,
						  N));
	read_back(got, d_bins, BINS);
	for (int i = 0; i < N; i++)
		want[in[i] / (1000 / BINS)]++;
	expect_equal("histogram", got, want, BINS);
	CHECK(cudaFree(temporary));
	free_device(d_bins);
	free_host(got, want);
}

int main()
{
	need_kernels();
	int *in = host_array<int>(N), *got = host_array<int>(3 * N), *want = host_array<int>(3 * N);
	unsigned state = 23;

	for (int i = 0; i < N; i++)
		want[i] = in[i] = random_next(&state) % 1000;
	int *d_in = device_copy(in, N), *d_out = device_array<int>(2 * N + BLOCKS);

	of_block<<<BLOCKS, THREADS>>>(d_in, d_out, d_out + N, d_out + 2 * N);
	read_back(got, d_out, 2 * N + BLOCKS);
	for (int i = 0; i < BLOCKS; i++) {
		int *tile = want + i * TILE;

		std::sort(tile, tile + TILE);
		std::inclusive_scan(tile, tile + TILE, tile + N);
		want[2 * N + i] = tile[TILE - 1];
	}
	expect_equal("blocks", got, want, 2 * N + BLOCKS);
	of_warp<<<N / THREADS, THREADS>>>(d_in, d_out);
	read_back(got, d_out, N);
	for (int i = 0; i < N; i++)
		want[i] = i % 32 ? want[i - 1] + in[i - 1] : 0;
	expect_equal("warps", got, want, N);
	count_bins(in, d_in);
	free_device(d_in, d_out);
	free_host(in, got, want);
	return 0;
}
