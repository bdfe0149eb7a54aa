// A cooperative launch whose blocks all wait for each other, many times: grid_group::sync.
// expect: clean
#include "testcases/compute.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static const int THREADS = 128, BLOCKS = 4, N = THREADS * BLOCKS;

// Each round every thread takes its neighbour's value in the grid; all blocks meet between rounds.
__global__ void rotate(int *a, int *b, int rounds)
{
	cg::grid_group grid = cg::this_grid();
	int i = grid.thread_rank();

	for (int round = 0; round < rounds; round++) {
		b[i] = a[(i + 1) % N];
		grid.sync();
		int *other = a;
		a = b;
		b = other;
	}
}

int main()
{
	need_kernels();
	int *in = host_array<int>(N), *got = host_array<int>(N), *want = host_array<int>(N);
	int rounds = 5;

	for (int i = 0; i < N; i++)
		in[i] = i * i;
	int *d_in = device_copy(in, N), *d_out = device_array<int>(N);
	void *arguments[] = {&d_in, &d_out, &rounds};
	CHECK(cudaLaunchCooperativeKernel((void *)rotate, dim3(BLOCKS), dim3(THREADS), arguments, 0,
					  0));
	read_back(got, d_out, N);
	for (int i = 0; i < N; i++)
		want[i] = in[(i + rounds) % N];
	expect_equal("grid", got, want, N);
	free_device(d_in, d_out);
	free_host(in, got, want);
	return 0;
}
