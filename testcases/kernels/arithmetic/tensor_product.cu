// Products of matrices by the tensor cores (wmma): half precision, bfloat16 and integers of 8 bits,
// with factors in both orders. The elements are small integers, so that every sum is exact.
// expect: clean
// nvcc: -arch=sm_90
#include <cuda_bf16.h>
#include <mma.h>
#include "testcases/common.h"

using namespace nvcuda;

#define SIDE  64
#define TILE  16
#define TILES (SIDE / TILE)

// Each warp has one tile of c = a * b; b is stored by columns.
template <typename Factor, typename Sum>
__global__ void multiply(const Factor *a, const Factor *b, Sum *c)
{
	int row = blockIdx.x / TILES * TILE, column = blockIdx.x % TILES * TILE;
	wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, Factor, wmma::row_major> left;
	wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, Factor, wmma::col_major> right;
	wmma::fragment<wmma::accumulator, TILE, TILE, TILE, Sum> sum;

	wmma::fill_fragment(sum, (Sum)1);
	for (int k = 0; k < SIDE; k += TILE) {
		wmma::load_matrix_sync(left, a + row * SIDE + k, SIDE);
		wmma::load_matrix_sync(right, b + column * SIDE + k, SIDE);
		wmma::mma_sync(sum, left, right, sum);
	}
	for (int i = 0; i < sum.num_elements; i++)
		sum.x[i] *= (Sum)2;
	wmma::store_matrix_sync(c + row * SIDE + column, sum, SIDE, wmma::mem_row_major);
}

// The numbers that both sides use.
__host__ __device__ static int left_of(int row, int k)
{
	return (row * 3 + k) % 7 - 3;
}

__host__ __device__ static int right_of(int k, int column)
{
	return (k * 5 + column) % 5 - 2;
}

template <typename Factor> __global__ void set(Factor *a, Factor *b)
{
	int i = blockIdx.x, k = threadIdx.x;

	a[i * SIDE + k] = (Factor)(float)left_of(i, k);
	b[i * SIDE + k] = (Factor)(float)right_of(k, i);
}

template <typename Sum> static int count_wrong(const Sum *c)
{
	int wrong = 0;

	for (int i = 0; i < SIDE * SIDE; i++) {
		int sum = 1;

		for (int k = 0; k < SIDE; k++)
			sum += left_of(i / SIDE, k) * right_of(k, i % SIDE);
		wrong += c[i] != (Sum)(2 * sum);
	}
	return wrong;
}

template <typename Factor, typename Sum> static int run(void)
{
	Factor *a = (Factor *)on_device(SIDE * SIDE * sizeof(Factor));
	Factor *b = (Factor *)on_device(SIDE * SIDE * sizeof(Factor));
	Sum *c = (Sum *)on_device(SIDE * SIDE * sizeof(Sum));
	Sum *h_c = (Sum *)pinned(SIDE * SIDE * sizeof(Sum));
	int wrong;

	set<<<SIDE, SIDE>>>(a, b);
	multiply<<<TILES * TILES, 32>>>(a, b, c);
	CHECK(cudaMemcpy(h_c, c, SIDE * SIDE * sizeof(Sum), cudaMemcpyDeviceToHost));
	wrong = runs_kernels() ? count_wrong(h_c) : 0;
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	CHECK(cudaFree(c));
	CHECK(cudaFreeHost(h_c));
	return wrong;
}

int main()
{
	if (run<__half, float>() || run<__nv_bfloat16, float>() || run<signed char, int>())
		return EXIT_WRONG;
	return 0;
}
