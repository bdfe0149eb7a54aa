// More blocks are launched than the memory has room for, until one of them writes to an address
// without memory. Only the simulated device knows which. NEIGHBOUR: one block too many, whose
// addresses would be those of other memory if the two were neighbours.
// expect: SC-152 at=launch likely doubt=simulated_device
// expect[NEIGHBOUR]: SC-152 at=launch likely doubt=simulated_device
// expect[FIXED]: clean
#include "testcases/common.h"

#define BLOCK 256

__global__ void mark(float *data, const float *other)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;

	data[i] = other[i % BLOCK] + 1;
}

int main()
{
	const size_t bytes = 4 * BLOCK * sizeof(float);
	float *data = on_device(bytes);
	float *other = on_device(bytes);
	cudaStream_t stream;
	int blocks = 1 << 20;

#ifdef FIXED
	blocks = 4;
#elif defined(NEIGHBOUR)
	blocks = 5;
#endif
	if (!is_simulated()) {
		printf("a GPU does not say which kernel failed\n");
		return EXIT_SKIPPED;
	}
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(other, 0, bytes, stream));
	mark<<<blocks, BLOCK, 0, stream>>>(data, other); // @launch
	cudaError_t error = cudaStreamSynchronize(stream);

	printf("%s\n", cudaGetErrorName(error));
	if (runs_kernels() && (error == cudaSuccess) != (blocks == 4))
		return EXIT_WRONG;
	if (error == cudaSuccess)
		CHECK(cudaFree(data));
	if (error == cudaSuccess)
		CHECK(cudaFree(other));
	return 0;
}
