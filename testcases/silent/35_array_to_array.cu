// cudaMemcpyArrayToArray is one call: what it does with memory of its own is not the program's.
// expect: clean
#include "testcases/common.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static const size_t columns = 16, rows = 8, bytes = columns * rows * sizeof(float);

int main()
{
	cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
	float before[columns * rows], after[columns * rows] = {};
	cudaArray_t first, second;

	for (size_t i = 0; i < columns * rows; i++)
		before[i] = (float)i;
	CHECK(cudaMallocArray(&first, &texel, columns, rows));
	CHECK(cudaMallocArray(&second, &texel, columns / 2, rows * 2));
	CHECK(cudaMemcpyToArray(first, 0, 0, before, bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpyArrayToArray(second, 0, 0, first, 0, 0, bytes, cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpyFromArray(after, second, 0, 0, bytes, cudaMemcpyDeviceToHost));
	CHECK(cudaFreeArray(first));
	CHECK(cudaFreeArray(second));
	return memcmp(before, after, bytes) != 0;
}
