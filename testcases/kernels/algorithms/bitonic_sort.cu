// A bitonic sort: steps with small distances in dynamic shared memory, those with large ones in
// global memory, many launches one after the other.
// expect: clean
#include "testcases/compute.h"

#include <algorithm>

static const int N = 2048, BLOCK = 256; // a block sorts twice as many

__device__ static void order(int *a, int *b, bool is_up)
{
	if ((*a > *b) == is_up) {
		int was = *a;

		*a = *b;
		*b = was;
	}
}

__global__ void step(int *data, int distance, int size)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	int low = i / distance * distance * 2 + i % distance;

	order(&data[low], &data[low + distance], !(low & size));
}

// All steps of a size from a distance on that stays in the block's part.
__global__ void steps_inside(int *data, int first_size, int last_size)
{
	extern __shared__ int part[];
	int first = blockIdx.x * BLOCK * 2;

	part[threadIdx.x] = data[first + threadIdx.x];
	part[threadIdx.x + BLOCK] = data[first + threadIdx.x + BLOCK];
	for (int size = first_size; size <= last_size; size *= 2)
		for (int distance = min(size / 2, BLOCK); distance; distance /= 2) {
			int low = threadIdx.x / distance * distance * 2 + threadIdx.x % distance;

			__syncthreads();
			order(&part[low], &part[low + distance], !((first + low) & size));
		}
	__syncthreads();
	data[first + threadIdx.x] = part[threadIdx.x];
	data[first + threadIdx.x + BLOCK] = part[threadIdx.x + BLOCK];
}

int main()
{
	need_kernels();
	const int BLOCKS = N / 2 / BLOCK;
	int *got = host_array<int>(N), *want = host_array<int>(N);
	unsigned state = 61;

	for (int i = 0; i < N; i++)
		want[i] = (int)random_next(&state) - 8000000;
	int *d_data = device_copy(want, N);

	steps_inside<<<BLOCKS, BLOCK, 2 * BLOCK * sizeof(int)>>>(d_data, 2, 2 * BLOCK);
	for (int size = 4 * BLOCK; size <= N; size *= 2) {
		for (int distance = size / 2; distance > BLOCK; distance /= 2)
			step<<<BLOCKS, BLOCK>>>(d_data, distance, size);
		steps_inside<<<BLOCKS, BLOCK, 2 * BLOCK * sizeof(int)>>>(d_data, size, size);
	}
	read_back(got, d_data, N);
	std::sort(want, want + N);
	expect_equal("sorted", got, want, N);
	free_device(d_data);
	free_host(got, want);
	return 0;
}
