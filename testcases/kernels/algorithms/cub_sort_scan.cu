// CUB's device-wide radix sorts (pairs; doubles from large to small) and scans (sums; maxima, with
// an operator of the program).
// expect: clean
#include "testcases/compute.h"

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <numeric>
#include <vector>

static const int N = 5000;
static void *temporary;
static size_t temporary_bytes;

struct larger {
	__host__ __device__ int operator()(int a, int b) const
	{
		return a > b ? a : b;
	}
};

// Calls an algorithm of CUB twice: it says how much memory it needs, then it runs.
template <typename F> void run(F algorithm)
{
	temporary = NULL;
	CHECK(algorithm());
	CHECK(cudaMalloc(&temporary, temporary_bytes));
	CHECK(algorithm());
	CHECK(cudaStreamSynchronize(0));
	CHECK(cudaFree(temporary));
}

static void sort_pairs(const unsigned *keys)
{
	unsigned *d_keys = device_copy(keys, N), *d_sorted = device_array<unsigned>(N);
	int *values = host_array<int>(N), *got = host_array<int>(N);
	unsigned *sorted = host_array<unsigned>(N), *got_keys = host_array<unsigned>(N);

	std::iota(values, values + N, 0);
	int *d_values = device_copy(values, N), *d_order = device_array<int>(N);

	run([&] {
		return cub::DeviceRadixSort::SortPairs(temporary, temporary_bytes, d_keys, d_sorted,
						       d_values, d_order, N);
	});
	std::stable_sort(values, values + N, [=](int a, int b) { return keys[a] < keys[b]; });
	for (int i = 0; i < N; i++)
		sorted[i] = keys[values[i]];
	read_back(got, d_order, N);
	read_back(got_keys, d_sorted, N);
	expect_equal("sorted keys", got_keys, sorted, N);
	expect_equal("their order", got, values, N);
	free_device(d_keys, d_sorted, d_values, d_order);
	free_host(values, got, sorted, got_keys);
}

static void sort_doubles(const unsigned *keys)
{
	double *in = host_array<double>(N), *got = host_array<double>(N);

	for (int i = 0; i < N; i++)
		in[i] = (double)(int)keys[i] * (i % 3 ? 1e-3 : -1e30);
	double *d_in = device_copy(in, N), *d_out = device_array<double>(N);

	run([&] {
		return cub::DeviceRadixSort::SortKeysDescending(temporary, temporary_bytes, d_in,
								d_out, N);
	});
	read_back(got, d_out, N);
	std::sort(in, in + N, [](double a, double b) { return a > b; });
	expect_equal("doubles from large to small", got, in, N);
	free_device(d_in, d_out);
	free_host(in, got);
}

static void scan(const unsigned *keys)
{
	int *in = host_array<int>(N), *got = host_array<int>(N), *want = host_array<int>(N);

	for (int i = 0; i < N; i++)
		in[i] = (int)(keys[i] % 1001) - 500;
	int *d_in = device_copy(in, N), *d_out = device_array<int>(N);

	run([&] {
		return cub::DeviceScan::ExclusiveSum(temporary, temporary_bytes, d_in, d_out, N);
	});
	read_back(got, d_out, N);
	std::exclusive_scan(in, in + N, want, 0);
	expect_equal("sums", got, want, N);
	run([&] {
		return cub::DeviceScan::InclusiveScan(temporary, temporary_bytes, d_in, d_out,
						      larger(), N);
	});
	read_back(got, d_out, N);
	std::inclusive_scan(in, in + N, want, larger());
	expect_equal("maxima", got, want, N);
	free_device(d_in, d_out);
	free_host(in, got, want);
}

int main()
{
	need_kernels();
	unsigned *keys = host_array<unsigned>(N), state = 17;

	for (int i = 0; i < N; i++)
		keys[i] = random_next(&state) * 31 % 3000017;
	sort_pairs(keys);
	sort_doubles(keys);
	scan(keys);
	free_host(keys);
	return 0;
}
