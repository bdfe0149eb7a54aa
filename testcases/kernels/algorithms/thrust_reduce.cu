// Thrust's reductions and scans: a transformed sum (a norm), sums by key, an inner product, scans,
// scans by key, a minimum with its place, sums of numbers that no memory holds.
// expect: clean
#include "testcases/compute.h"

#include <algorithm>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform_reduce.h>
#include <vector>

static const int N = 3000;

struct square {
	__host__ __device__ long long operator()(int a) const
	{
		return (long long)a * a;
	}
};

struct nth_odd {
	__host__ __device__ int operator()(int i) const
	{
		return 2 * i + 1;
	}
};

template <typename T>
static void compare(const char *what, const thrust::device_vector<T> &got,
		    const std::vector<T> &want)
{
	thrust::host_vector<T> here = got;

	expect_equal(what, here.data(), want.data(), want.size());
}

static void of_numbers(const std::vector<int> &in, const thrust::device_vector<int> &d_in)
{
	long long squares = thrust::transform_reduce(d_in.begin(), d_in.end(), square(), 0LL,
						     thrust::plus<long long>());
	auto smallest = thrust::min_element(d_in.begin(), d_in.end());
	auto odd = thrust::make_transform_iterator(thrust::make_counting_iterator(0), nth_odd());
	thrust::device_vector<int> d_sums(N);
	std::vector<int> sums(N);

	expect_value("sum of squares", squares,
		     std::inner_product(in.begin(), in.end(), in.begin(), 0LL));
	expect_value("product with itself",
		     thrust::inner_product(d_in.begin(), d_in.end(), d_in.begin(), 0LL), squares);
	expect_value("place of the smallest", (int)(smallest - d_in.begin()),
		     (int)(std::min_element(in.begin(), in.end()) - in.begin()));
	expect_value("sum of odd numbers", thrust::reduce(thrust::device, odd, odd + N), N * N);
	thrust::inclusive_scan(d_in.begin(), d_in.end(), d_sums.begin());
	std::inclusive_scan(in.begin(), in.end(), sums.begin());
	compare("scan", d_sums, sums);
}

static void by_key(const std::vector<int> &keys, const std::vector<int> &in,
		   const thrust::device_vector<int> &d_in)
{
	thrust::device_vector<int> d_keys(keys.begin(), keys.end()), d_names(N), d_sums(N);
	std::vector<int> names, sums, running;

	for (int i = 0; i < N; i++) {
		bool begins = !i || keys[i] != keys[i - 1];

		running.push_back(begins ? in[i] : running.back() + in[i]);
		if (begins) {
			names.push_back(keys[i]);
			sums.push_back(0);
		}
		sums.back() += in[i];
	}
	auto ends = thrust::reduce_by_key(d_keys.begin(), d_keys.end(), d_in.begin(),
					  d_names.begin(), d_sums.begin());
	d_names.resize(ends.first - d_names.begin());
	expect_value("keys", d_names.size(), names.size());
	compare("their names", d_names, names);
	compare("their sums", d_sums, sums);
	thrust::inclusive_scan_by_key(d_keys.begin(), d_keys.end(), d_in.begin(), d_sums.begin());
	compare("scan by key", d_sums, running);
}

int main()
{
	need_kernels();
	std::vector<int> in(N), keys(N);
	unsigned state = 31;

	for (int i = 0; i < N; i++) {
		in[i] = (int)(random_next(&state) % 2001) - 1000;
		keys[i] = i && random_next(&state) % 5 ? keys[i - 1] : random_next(&state) % 50;
	}
	thrust::device_vector<int> d_in(in.begin(), in.end());

	of_numbers(in, d_in);
	by_key(keys, in, d_in);
	return 0;
}
