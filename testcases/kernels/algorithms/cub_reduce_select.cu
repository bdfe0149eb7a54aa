// CUB's device-wide reductions (sum, smallest, where the largest is, by key), selections (by flag,
// by predicate, unique), and run lengths.
// expect: clean
#include "testcases/compute.h"

#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

static const int N = 6007;
static void *temporary;
static size_t temporary_bytes;
static int *in, *got, *want, *d_in, *d_out, *d_count;

struct is_odd {
	__host__ __device__ bool operator()(int a) const
	{
		return a & 1;
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

static int read_count(void)
{
	read_back(got, d_count, 1);
	return got[0];
}

static void reduce(void)
{
	int sum = 0;

	run([] { return cub::DeviceReduce::Sum(temporary, temporary_bytes, d_in, d_count, N); });
	for (int i = 0; i < N; i++)
		sum += in[i];
	expect_value("sum", read_count(), sum);
	run([] { return cub::DeviceReduce::Min(temporary, temporary_bytes, d_in, d_count, N); });
	expect_value("smallest", read_count(), *std::min_element(in, in + N));
}

static void select(void)
{
	int *end = std::copy_if(in, in + N, want, is_odd());

	run([] {
		return cub::DeviceSelect::If(temporary, temporary_bytes, d_in, d_out, d_count, N,
					     is_odd());
	});
	expect_value("odd ones", read_count(), (int)(end - want));
	read_back(got, d_out, end - want);
	expect_equal("what they are", got, want, end - want);
	run([] {
		return cub::DeviceSelect::Unique(temporary, temporary_bytes, d_in, d_out, d_count,
						 N);
	});
	end = std::unique_copy(in, in + N, want);
	expect_value("unlike the one before", read_count(), (int)(end - want));
	read_back(got, d_out, end - want);
	expect_equal("what they are", got, want, end - want);
}

static void encode(void)
{
	int *d_lengths = device_array<int>(N), runs = 0;

	run([=] {
		return cub::DeviceRunLengthEncode::Encode(temporary, temporary_bytes, d_in, d_out,
							  d_lengths, d_count, N);
	});
	for (int i = 0; i < N; i++) {
		if (!i || in[i] != in[i - 1])
			want[runs++] = 0;
		want[runs - 1]++;
	}
	expect_value("runs", read_count(), runs);
	read_back(got, d_lengths, runs);
	expect_equal("their lengths", got, want, runs);
	free_device(d_lengths);
}

int main()
{
	need_kernels();
	unsigned state = 19;

	in = host_array<int>(N);
	got = host_array<int>(N);
	want = host_array<int>(N);
	for (int i = 0; i < N; i++)
		in[i] = i && random_next(&state) % 3 ? in[i - 1]
						     : (int)(random_next(&state) % 900) - 400;
	d_in = device_copy(in, N);
	d_out = device_array<int>(N);
	d_count = device_array<int>(1);
	reduce();
	select();
	encode();
	free_device(d_in, d_out, d_count);
	free_host(in, got, want);
	return 0;
}
