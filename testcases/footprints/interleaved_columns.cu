// Two streams fill the even and the odd columns of one pitched matrix: clean unless both take the
// same columns.
// expect: SC-105 at=second proven order=no_event
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

SC_KERNEL fill_columns(float *matrix, size_t pitch, int first, int columns, int rows, float value)
{
	int column = first + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
	int row = blockIdx.y * blockDim.y + threadIdx.y;

	if (column < columns && row < rows)
		*((float *)((char *)matrix + row * pitch) + column) = value;
}

int main()
{
	const int columns = 500, rows = 64;
	float *h_back = pinned(columns * rows * sizeof(float)), *d_matrix;
	cudaStream_t stream1, stream2;
	dim3 grid(8, 8), block(32, 8);
	size_t pitch;
#ifdef FIXED
	const int first = 1;
#else
	const int first = 0;
#endif

	CHECK(cudaMallocPitch(&d_matrix, &pitch, columns * sizeof(float), rows));
	CHECK(cudaStreamCreate(&stream1));
	CHECK(cudaStreamCreate(&stream2));
	fill_columns<<<grid, block, 0, stream1>>>(d_matrix, pitch, 0, columns, rows, 2);
	CHECK(cudaGetLastError());
	fill_columns<<<grid, block, 0, stream2>>>(d_matrix, pitch, first, columns, rows,
						  2); // @second
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy2D(h_back, columns * sizeof(float), d_matrix, pitch,
			   columns * sizeof(float), rows, cudaMemcpyDeviceToHost));
#ifdef FIXED
	verify_kernel(h_back, 2, columns * rows);
#endif
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	CHECK(cudaFree(d_matrix));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
