// A sparse matrix (CSR) times a vector, in two ways: a thread for each row, and a warp for each
// row, whose lanes add their parts by shuffles. Rows have very different lengths.
// expect: clean
#include "testcases/compute.h"

#include <vector>

static const int ROWS = 500, COLUMNS = 700;

__global__ void row_by_thread(const int *first, const int *columns, const float *values,
			      const float *x, float *y)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (row >= ROWS)
		return;
	for (int i = first[row]; i < first[row + 1]; i++)
		sum += values[i] * __ldg(&x[columns[i]]);
	y[row] = sum;
}

__global__ void row_by_warp(const int *first, const int *columns, const float *values,
			    const float *x, float *y)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	float sum = 0;

	if (row >= ROWS)
		return;
	for (int i = first[row] + lane; i < first[row + 1]; i += 32)
		sum += values[i] * x[columns[i]];
	for (int other = 16; other; other /= 2)
		sum += __shfl_xor_sync(0xffffffff, sum, other);
	if (lane == 0)
		y[row] = sum;
}

int main()
{
	need_kernels();
	std::vector<int> first(1, 0), columns;
	std::vector<float> values;
	float *x = host_array<float>(COLUMNS), *got = host_array<float>(ROWS);
	float *want = host_array<float>(ROWS);
	unsigned state = 47;

	// Small whole numbers: their sums are exact in any order.
	for (int i = 0; i < COLUMNS; i++)
		x[i] = (float)(random_next(&state) % 64) - 32;
	for (int row = 0; row < ROWS; row++) {
		int length = row % 50 ? random_next(&state) % 9 : 300;

		for (int i = 0; i < length; i++) {
			columns.push_back(random_next(&state) % COLUMNS);
			values.push_back((float)(random_next(&state) % 16));
			want[row] += values.back() * x[columns.back()];
		}
		first.push_back((int)columns.size());
	}
	int *d_first = device_copy(first.data(), first.size());
	int *d_columns = device_copy(columns.data(), columns.size());
	float *d_values = device_copy(values.data(), values.size());
	float *d_x = device_copy(x, COLUMNS), *d_y = device_array<float>(2 * ROWS);

	row_by_thread<<<(ROWS + 127) / 128, 128>>>(d_first, d_columns, d_values, d_x, d_y);
	row_by_warp<<<(ROWS + 3) / 4, 128>>>(d_first, d_columns, d_values, d_x, d_y + ROWS);
	read_back(got, d_y, ROWS);
	expect_equal("threads", got, want, ROWS);
	read_back(got, d_y + ROWS, ROWS);
	expect_equal("warps", got, want, ROWS);
	free_device(d_first, d_columns, d_values, d_x, d_y);
	free_host(x, got, want);
	return 0;
}
