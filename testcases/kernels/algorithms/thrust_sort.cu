// Thrust's sorts on device vectors: keys, keys with values, by an operator (a merge sort), unique
// keys, a reversed order, and searches in what was sorted.
// expect: clean
#include "testcases/compute.h"

#include <algorithm>
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reverse.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/unique.h>
#include <vector>

static const int N = 3000;

// By the last digit, then by the whole number.
struct by_digit {
	__host__ __device__ bool operator()(int a, int b) const
	{
		return a % 10 != b % 10 ? a % 10 < b % 10 : a < b;
	}
};

static void compare(const char *what, const thrust::device_vector<int> &got,
		    const std::vector<int> &want)
{
	thrust::host_vector<int> here = got;

	expect_value("size", here.size(), want.size());
	expect_equal(what, here.data(), want.data(), want.size());
}

int main()
{
	need_kernels();
	std::vector<int> keys(N), order(N), found;
	unsigned state = 29;

	for (int i = 0; i < N; i++) {
		keys[i] = random_next(&state) % 2000;
		order[i] = i;
	}
	thrust::device_vector<int> d_keys(keys.begin(), keys.end()), d_order(N), d_found(N);

	thrust::sequence(d_order.begin(), d_order.end());
	// With its own waits Thrust would wait twice here, for nothing.
	thrust::stable_sort_by_key(thrust::cuda::par_nosync, d_keys.begin(), d_keys.end(),
				   d_order.begin());
	std::stable_sort(order.begin(), order.end(),
			 [&](int a, int b) { return keys[a] < keys[b]; });
	std::sort(keys.begin(), keys.end());
	compare("sorted keys", d_keys, keys);
	compare("their order", d_order, order);
	thrust::lower_bound(d_keys.begin(), d_keys.end(), d_order.begin(), d_order.end(),
			    d_found.begin());
	for (int key : order)
		found.push_back(
			(int)(std::lower_bound(keys.begin(), keys.end(), key) - keys.begin()));
	compare("places of keys", d_found, found);
	thrust::sort(d_keys.begin(), d_keys.end(), by_digit());
	std::sort(keys.begin(), keys.end(), by_digit());
	compare("by last digit", d_keys, keys);
	d_keys.erase(thrust::unique(d_keys.begin(), d_keys.end()), d_keys.end());
	keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
	thrust::reverse(d_keys.begin(), d_keys.end());
	std::reverse(keys.begin(), keys.end());
	compare("unique, reversed", d_keys, keys);
	return 0;
}
