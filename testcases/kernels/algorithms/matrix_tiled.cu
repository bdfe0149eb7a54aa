// The product of two matrices by tiles in shared memory; the sizes are no multiples of a tile.
// expect: clean
// nvcc: --fmad=false
#include "testcases/compute.h"

static const int TILE = 16, ROWS = 70, INNER = 45, COLUMNS = 83;

__global__ void multiply(const float *a, const float *b, float *c)
{
	__shared__ float part_a[TILE][TILE], part_b[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
	float sum = 0;

	for (int start = 0; start < INNER; start += TILE) {
		bool has_a = row < ROWS && start + x < INNER;
		bool has_b = column < COLUMNS && start + y < INNER;

		part_a[y][x] = has_a ? a[row * INNER + start + x] : 0;
		part_b[y][x] = has_b ? b[(start + y) * COLUMNS + column] : 0;
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum += part_a[y][k] * part_b[k][x];
		__syncthreads();
	}
	if (row < ROWS && column < COLUMNS)
		c[row * COLUMNS + column] = sum;
}

HOST_LOOP void multiply_on_host(const float *a, const float *b, float *c)
{
	for (int row = 0; row < ROWS; row++)
		for (int column = 0; column < COLUMNS; column++) {
			float sum = 0;

			for (int k = 0; k < INNER; k++)
				sum += a[row * INNER + k] * b[k * COLUMNS + column];
			c[row * COLUMNS + column] = sum;
		}
}

int main()
{
	need_kernels();
	float *a = host_array<float>(ROWS * INNER), *b = host_array<float>(INNER * COLUMNS);
	float *c = host_array<float>(ROWS * COLUMNS), *want = host_array<float>(ROWS * COLUMNS);
	unsigned state = 1;

	for (int i = 0; i < ROWS * INNER; i++)
		a[i] = random_unit(&state) - 0.5f;
	for (int i = 0; i < INNER * COLUMNS; i++)
		b[i] = random_unit(&state) - 0.5f;
	float *d_a = device_copy(a, ROWS * INNER), *d_b = device_copy(b, INNER * COLUMNS);
	float *d_c = device_array<float>(ROWS * COLUMNS);
	dim3 grid((COLUMNS + TILE - 1) / TILE, (ROWS + TILE - 1) / TILE);

	multiply<<<grid, dim3(TILE, TILE)>>>(d_a, d_b, d_c);
	read_back(c, d_c, ROWS * COLUMNS);
	multiply_on_host(a, b, want);
	expect_equal("product", c, want, ROWS * COLUMNS);
	free_device(d_a, d_b, d_c);
	free_host(a, b, c, want);
	return 0;
}
