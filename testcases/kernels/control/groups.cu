// Cooperative groups: tiles of a warp, their reductions and scans, groups of the threads that took
// the same way, and groups by label.
// expect: clean
#include "testcases/compute.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

static const int THREADS = 128, BLOCKS = 4, N = THREADS * BLOCKS;

template <int SIZE> __device__ int of_tile(cg::thread_block block, int value)
{
	auto tile = cg::tiled_partition<SIZE>(block);
	int sum = cg::reduce(tile, value, cg::plus<int>());
	int before = cg::exclusive_scan(tile, value);
	int most = cg::reduce(tile, value, cg::greater<int>());

	return sum * 3 + before * 5 + most * 7 + tile.shfl_down(value, 1) + tile.thread_rank();
}

__global__ void tiles(const int *in, int *out)
{
	cg::thread_block block = cg::this_thread_block();
	int i = block.group_index().x * THREADS + block.thread_rank(), value = in[i];

	out[i] = of_tile<4>(block, value) + of_tile<16>(block, value) + of_tile<32>(block, value);
}

static int on_host(const int *in, int i, int size)
{
	int first = i / size * size, sum = 0, before = 0, most = in[first];

	for (int k = first; k < first + size; k++) {
		sum += in[k];
		before += k < i ? in[k] : 0;
		most = in[k] > most ? in[k] : most;
	}
	return sum * 3 + before * 5 + most * 7 + in[i % size == size - 1 ? i : i + 1] + i % size;
}

// One atomic for all threads of a warp that are here at the same time, each gets its own place.
__global__ void append_odd(const int *in, int *count, int *out)
{
	int i = blockIdx.x * THREADS + threadIdx.x;

	if (in[i] & 1) {
		cg::coalesced_group here = cg::coalesced_threads();
		int first = 0;

		if (here.thread_rank() == 0)
			first = atomicAdd(count, (int)here.size());
		out[here.shfl(first, 0) + here.thread_rank()] = in[i];
	}
}

// Threads of a warp with the same remainder are a group; each gets the group's sum.
__global__ void labelled(const int *in, int *out)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	auto warp = cg::tiled_partition<32>(cg::this_thread_block());
	auto group = cg::labeled_partition(warp, in[i] % 3);

	out[i] = cg::reduce(group, in[i], cg::plus<int>());
}

int main()
{
	need_kernels();
	int *in = host_array<int>(N), *got = host_array<int>(N), *want = host_array<int>(N);
	int odd = 0, odd_sum = 0, sum = 0;
	unsigned state = 41;

	for (int i = 0; i < N; i++)
		in[i] = random_next(&state) % 1000;
	int *d_in = device_copy(in, N), *d_out = device_array<int>(N),
	    *d_count = device_zeros<int>(1);

	tiles<<<BLOCKS, THREADS>>>(d_in, d_out);
	read_back(got, d_out, N);
	for (int i = 0; i < N; i++)
		want[i] = on_host(in, i, 4) + on_host(in, i, 16) + on_host(in, i, 32);
	expect_equal("tiles", got, want, N);
	append_odd<<<BLOCKS, THREADS>>>(d_in, d_count, d_out);
	read_back(got, d_out, N);
	for (int i = 0; i < N; i++)
		if (in[i] & 1)
			odd_sum += in[i], sum += got[odd++];
	expect_value("odd ones", sum, odd_sum);
	labelled<<<BLOCKS, THREADS>>>(d_in, d_out);
	read_back(got, d_out, N);
	for (int i = 0; i < N; i++) {
		want[i] = 0;
		for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++)
			want[i] += in[k] % 3 == in[i] % 3 ? in[k] : 0;
	}
	expect_equal("labels", got, want, N);
	free_device(d_in, d_out, d_count);
	free_host(in, got, want);
	return 0;
}
