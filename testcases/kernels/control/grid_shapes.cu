// Grids and blocks of one, two and three dimensions with odd sizes; parameters by value:
// structures, arrays inside of them, many parameters of mixed sizes.
// expect: clean
#include "testcases/compute.h"

struct box {
	int x, y, z;
	char name[5];
	double scale;
	short steps[7];
};

__host__ __device__ static long long mix(const box &b, int at)
{
	return (long long)(at * b.scale) + b.steps[at % 7] + b.name[at % 5] * 1000LL;
}

__global__ void by_volume(box b, long long *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int z = blockIdx.z * blockDim.z + threadIdx.z;

	if (x >= b.x || y >= b.y || z >= b.z)
		return;
	int at = (z * b.y + y) * b.x + x;
	out[at] = mix(b, at);
}

// Which thread of the grid has the number `i`, by all its coordinates.
__global__ void number(char a, long long b, short c, unsigned char d, double e, float f, int3 g,
		       bool h, long long *out)
{
	int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	int i = block * blockDim.x * blockDim.y * blockDim.z + thread;

	out[i] = a + b * 2 + c * 3 + d * 5 + (long long)(e * 7) + (long long)(f * 11) + g.x * 13 +
		 g.y * 17 + g.z * 19 + (h ? 23 : 0) + i;
}

static void try_volume(box b, dim3 block)
{
	const int n = b.x * b.y * b.z;
	dim3 grid((b.x + block.x - 1) / block.x, (b.y + block.y - 1) / block.y,
		  (b.z + block.z - 1) / block.z);
	long long *got = host_array<long long>(n), *want = host_array<long long>(n);
	long long *d_out = device_array<long long>(n);

	by_volume<<<grid, block>>>(b, d_out);
	read_back(got, d_out, n);
	for (int i = 0; i < n; i++)
		want[i] = mix(b, i);
	expect_equal(b.name, got, want, n);
	free_device(d_out);
	free_host(got, want);
}

int main()
{
	need_kernels();
	const int N = 3 * 2 * 4 * 5 * 7 * 3;
	long long *got = host_array<long long>(N), *want = host_array<long long>(N);
	long long *d_out = device_array<long long>(N);

	try_volume({1000, 1, 1, "line", 1.5, {1, 2, 3, 4, 5, 6, 7}}, dim3(33));
	try_volume({37, 29, 1, "area", -2.25, {-1, 0, 1, 0, -1, 0, 1}}, dim3(8, 5));
	try_volume({11, 13, 7, "room", 0.125, {9, 8, 7, 6, 5, 4, 3}}, dim3(3, 5, 2));
	number<<<dim3(3, 2, 4), dim3(5, 7, 3)>>>(-5, 1LL << 40, -300, 200, 2.5, 3.25f,
						 make_int3(1, -2, 3), true, d_out);
	read_back(got, d_out, N);
	for (int i = 0; i < N; i++)
		want[i] = -5 + (1LL << 41) - 900 + 1000 + 17 + 35 + 13 - 34 + 57 + 23 + i;
	expect_equal("numbers", got, want, N);
	free_device(d_out);
	free_host(got, want);
	return 0;
}
