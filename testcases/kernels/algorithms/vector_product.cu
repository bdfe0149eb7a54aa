// A matrix times a vector with loads of float4, a block for each row; and the same with double2.
// expect: clean
#include "testcases/compute.h"

static const int ROWS = 60, COLUMNS = 512, THREADS = 64;

__device__ static float dot(float4 a, float4 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__device__ static double dot(double2 a, double2 b)
{
	return a.x * b.x + a.y * b.y;
}

// V is a vector of T.
template <typename V, typename T> __global__ void multiply(const V *matrix, const V *x, T *y)
{
	const int COUNT = COLUMNS * sizeof(T) / sizeof(V);
	__shared__ T part[THREADS / 32];
	T sum = 0;

	for (int i = threadIdx.x; i < COUNT; i += THREADS)
		sum += dot(matrix[blockIdx.x * COUNT + i], x[i]);
	for (int other = 16; other; other /= 2)
		sum += __shfl_down_sync(0xffffffff, sum, other);
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0] + part[1];
}

template <typename V, typename T> void try_type(const char *what)
{
	T *matrix = host_array<T>(ROWS * COLUMNS), *x = host_array<T>(COLUMNS);
	T *got = host_array<T>(ROWS), *want = host_array<T>(ROWS);
	unsigned state = 67;

	// Whole numbers, whose sums are exact.
	for (int i = 0; i < COLUMNS; i++)
		x[i] = (T)(random_next(&state) % 32);
	for (int i = 0; i < ROWS * COLUMNS; i++) {
		matrix[i] = (T)(random_next(&state) % 32) - 16;
		want[i / COLUMNS] += matrix[i] * x[i % COLUMNS];
	}
	T *d_matrix = device_copy(matrix, ROWS * COLUMNS), *d_x = device_copy(x, COLUMNS);
	T *d_y = device_array<T>(ROWS);

	multiply<V, T><<<ROWS, THREADS>>>((const V *)d_matrix, (const V *)d_x, d_y);
	read_back(got, d_y, ROWS);
	expect_equal(what, got, want, ROWS);
	free_device(d_matrix, d_x, d_y);
	free_host(matrix, x, got, want);
}

int main()
{
	need_kernels();
	try_type<float4, float>("float4");
	try_type<double2, double>("double2");
	return 0;
}
