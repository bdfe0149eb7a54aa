// Thrust's selections: copies and removals by a predicate, a partition, counts, gathers, sets, and
// tuples of two arrays.
// expect: clean
#include "testcases/compute.h"

#include <algorithm>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/set_operations.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>
#include <vector>

static const int N = 2500;

struct is_third {
	__host__ __device__ bool operator()(int a) const
	{
		return a % 3 == 0;
	}
};

struct difference {
	__host__ __device__ int operator()(const thrust::tuple<int, int> &t) const
	{
		return thrust::get<0>(t) - thrust::get<1>(t);
	}
};

static void compare(const char *what, const thrust::device_vector<int> &got,
		    const std::vector<int> &want)
{
	thrust::host_vector<int> here = got;

	expect_value("size", here.size(), want.size());
	expect_equal(what, here.data(), want.data(), want.size());
}

static void select(const std::vector<int> &in, const thrust::device_vector<int> &d_in)
{
	thrust::device_vector<int> d_out(N);
	std::vector<int> out(N);

	expect_value("thirds", (int)thrust::count_if(d_in.begin(), d_in.end(), is_third()),
		     (int)std::count_if(in.begin(), in.end(), is_third()));
	d_out.resize(thrust::copy_if(d_in.begin(), d_in.end(), d_out.begin(), is_third()) -
		     d_out.begin());
	out.resize(std::copy_if(in.begin(), in.end(), out.begin(), is_third()) - out.begin());
	compare("copied", d_out, out);
	d_out = d_in;
	out = in;
	thrust::stable_partition(d_out.begin(), d_out.end(), is_third());
	std::stable_partition(out.begin(), out.end(), is_third());
	compare("divided", d_out, out);
	d_out.erase(thrust::remove_if(d_out.begin(), d_out.end(), is_third()), d_out.end());
	out.erase(std::remove_if(out.begin(), out.end(), is_third()), out.end());
	compare("removed", d_out, out);
}

static void combine(const std::vector<int> &in, const thrust::device_vector<int> &d_in)
{
	std::vector<int> from(N), out(N), sorted[2];
	thrust::device_vector<int> d_out(N);

	for (int i = 0; i < N; i++)
		from[i] = i * 7 % N;
	thrust::device_vector<int> d_from(from.begin(), from.end());

	thrust::gather(d_from.begin(), d_from.end(), d_in.begin(), d_out.begin());
	auto pairs = thrust::make_zip_iterator(thrust::make_tuple(d_in.begin(), d_out.begin()));
	thrust::transform(pairs, pairs + N, d_out.begin(), difference());
	for (int i = 0; i < N; i++)
		out[i] = in[i] - in[from[i]];
	compare("differences", d_out, out);
	for (int i = 0; i < N; i++)
		sorted[i % 2].push_back(3 * i + i % 5);
	thrust::device_vector<int> a(sorted[0].begin(), sorted[0].end());
	thrust::device_vector<int> b(sorted[1].begin(), sorted[1].end());
	d_out.resize(
		thrust::set_intersection(a.begin(), a.end(), b.begin(), b.end(), d_out.begin()) -
		d_out.begin());
	out.resize(std::set_intersection(sorted[0].begin(), sorted[0].end(), sorted[1].begin(),
					 sorted[1].end(), out.begin()) -
		   out.begin());
	compare("common ones", d_out, out);
}

int main()
{
	need_kernels();
	std::vector<int> in(N);
	unsigned state = 37;

	for (int i = 0; i < N; i++)
		in[i] = random_next(&state) % 10000;
	thrust::device_vector<int> d_in(in.begin(), in.end());

	select(in, d_in);
	combine(in, d_in);
	return 0;
}
