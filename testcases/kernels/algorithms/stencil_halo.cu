// A stencil of five points on a grid, in tiles of shared memory with a halo, in many steps.
// expect: clean
// nvcc: --fmad=false
#include "testcases/compute.h"

static const int WIDTH = 90, HEIGHT = 61, TILE_X = 32, TILE_Y = 8, STEPS = 10;

__host__ __device__ static float smoothed(float middle, float up, float down, float left,
					  float right)
{
	return middle * 0.5f + (up + down + left + right) * 0.125f;
}

__global__ void step(const float *from, float *to)
{
	__shared__ float tile[TILE_Y + 2][TILE_X + 2];
	int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;

	// The threads of the block load the tile and its halo, more cells than there are threads.
	for (int i = threadIdx.y * TILE_X + threadIdx.x; i < (TILE_Y + 2) * (TILE_X + 2);
	     i += TILE_X * TILE_Y) {
		int tx = i % (TILE_X + 2), ty = i / (TILE_X + 2);
		int gx = (int)blockIdx.x * TILE_X + tx - 1, gy = (int)blockIdx.y * TILE_Y + ty - 1;
		bool is_inside = gx >= 0 && gx < WIDTH && gy >= 0 && gy < HEIGHT;

		tile[ty][tx] = is_inside ? from[gy * WIDTH + gx] : 0;
	}
	__syncthreads();
	if (x >= WIDTH || y >= HEIGHT)
		return;
	int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
	to[y * WIDTH + x] = smoothed(tile[ty][tx], tile[ty - 1][tx], tile[ty + 1][tx],
				     tile[ty][tx - 1], tile[ty][tx + 1]);
}

HOST_LOOP float at(const float *grid, int x, int y)
{
	return x < 0 || x >= WIDTH || y < 0 || y >= HEIGHT ? 0 : grid[y * WIDTH + x];
}

HOST_LOOP void step_on_host(const float *from, float *to)
{
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			to[y * WIDTH + x] =
				smoothed(at(from, x, y), at(from, x, y - 1), at(from, x, y + 1),
					 at(from, x - 1, y), at(from, x + 1, y));
}

int main()
{
	need_kernels();
	const int N = WIDTH * HEIGHT;
	float *got = host_array<float>(N), *want[2] = {host_array<float>(N), host_array<float>(N)};
	unsigned state = 7;

	for (int i = 0; i < N; i++)
		want[0][i] = random_unit(&state) * 100;
	float *d_grid[2] = {device_copy(want[0], N), device_array<float>(N)};
	dim3 blocks((WIDTH + TILE_X - 1) / TILE_X, (HEIGHT + TILE_Y - 1) / TILE_Y);

	for (int i = 0; i < STEPS; i++)
		step<<<blocks, dim3(TILE_X, TILE_Y)>>>(d_grid[i % 2], d_grid[1 - i % 2]);
	read_back(got, d_grid[STEPS % 2], N);
	for (int i = 0; i < STEPS; i++)
		step_on_host(want[i % 2], want[1 - i % 2]);
	expect_equal("grid", got, want[STEPS % 2], N);
	free_device(d_grid[0], d_grid[1]);
	free_host(got, want[0], want[1]);
	return 0;
}
