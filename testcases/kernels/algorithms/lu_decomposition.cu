// A decomposition into triangles with pivots, in place, in double precision: three launches for
// each column, whose pivot row only the device knows; then a solution by one block.
// expect: clean
// nvcc: --fmad=false
#include "testcases/compute.h"

static const int N = 48;

// The row with the largest element of the column; of equal ones the first.
__global__ void find_pivot(const double *a, int column, int *pivots)
{
	__shared__ double most[64];
	__shared__ int where[64];
	int row = threadIdx.x;

	most[row] = row >= column && row < N ? fabs(a[row * N + column]) : -1;
	where[row] = row;
	for (int half = 32; half; half /= 2) {
		__syncthreads();
		if (row < half && most[row + half] > most[row]) {
			most[row] = most[row + half];
			where[row] = where[row + half];
		}
	}
	if (row == 0)
		pivots[column] = where[0];
}

__global__ void exchange_rows(double *a, double *b, int column, const int *pivots)
{
	int pivot = pivots[column], i = threadIdx.x;
	double *x = i < N ? a + column * N + i : b + column,
	       *y = i < N ? a + pivot * N + i : b + pivot;
	double was = *x;

	__syncthreads();
	if (pivot == column)
		return;
	*x = *y;
	*y = was;
}

__global__ void eliminate(double *a, int column)
{
	int row = column + 1 + blockIdx.x;
	double factor = a[row * N + column] / a[column * N + column];

	__syncthreads();
	for (int i = column + 1 + threadIdx.x; i < N; i += blockDim.x)
		a[row * N + i] -= factor * a[column * N + i];
	if (threadIdx.x == 0)
		a[row * N + column] = factor;
}

__global__ void solve(const double *a, double *b)
{
	int row = threadIdx.x;

	for (int i = 0; i < N; i++) {
		__syncthreads();
		if (row > i && row < N)
			b[row] -= a[row * N + i] * b[i];
	}
	for (int i = N - 1; i >= 0; i--) {
		__syncthreads();
		if (row == i)
			b[i] /= a[i * N + i];
		__syncthreads();
		if (row < i)
			b[row] -= a[row * N + i] * b[i];
	}
}

int main()
{
	need_kernels();
	double *a = host_array<double>(N * N), *b = host_array<double>(N),
	       *want = host_array<double>(N);
	double *got = host_array<double>(N);
	int *d_pivots = device_array<int>(N);
	unsigned state = 101;

	for (int i = 0; i < N; i++)
		want[i] = (double)(i % 7) - 3;
	for (int i = 0; i < N * N; i++) {
		a[i] = random_unit(&state) - 0.5;
		b[i / N] += a[i] * want[i % N];
	}
	double *d_a = device_copy(a, N * N), *d_b = device_copy(b, N);

	for (int column = 0; column < N; column++) {
		find_pivot<<<1, 64>>>(d_a, column, d_pivots);
		exchange_rows<<<1, N + 1>>>(d_a, d_b, column, d_pivots);
		if (column + 1 < N)
			eliminate<<<N - column - 1, 32>>>(d_a, column);
	}
	solve<<<1, 64>>>(d_a, d_b);
	read_back(got, d_b, N);
	expect_near("solution", got, want, N, 1e-9);
	free_device(d_a, d_b, d_pivots);
	free_host(a, b, want, got);
	return 0;
}
