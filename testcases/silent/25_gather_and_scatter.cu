// A kernel gathers from one table and scatters to another, which may lie beside it, at more places
// than a launch has pieces of memory in a trace; another stream gathers from the first table.
// expect: clean
#include "testcases/compute.h"

static const int PLACES = 20000, SIZE = 1 << 18;

__global__ void choose(unsigned *index)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, state = i;

	if (i < PLACES)
		index[i] = random_next(&state) % SIZE;
}

__global__ void move(const int *table, int *out, const unsigned *index)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < PLACES)
		out[index[i]] = table[index[i]];
}

__global__ void add_up(const int *table, const unsigned *index, int *sum)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < PLACES)
		atomicAdd(sum, table[index[i]]);
}

int main()
{
	int *table = device_zeros<int>(SIZE), *out = device_zeros<int>(SIZE);
	int *sum = device_zeros<int>(1);
	unsigned *index = device_array<unsigned>(PLACES);
	cudaStream_t first, second;

	choose<<<(PLACES + 255) / 256, 256>>>(index);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	move<<<(PLACES + 255) / 256, 256, 0, first>>>(table, out, index);
	add_up<<<(PLACES + 255) / 256, 256, 0, second>>>(table, index, sum);
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	free_device(table, out, sum, index);
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	return 0;
}
