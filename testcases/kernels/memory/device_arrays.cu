// Arrays of objects on the device's heap: new[] runs constructors and keeps the number of elements
// before the first one, also where delete[] does not need it; delete[] runs destructors.
// expect: clean
#include "testcases/common.h"

struct Plain { // has no destructor
	int number, rest;

	__device__ Plain() : number(1), rest(2)
	{
	}
};

struct Counted {
	int *count;

	__device__ Counted() : count(NULL)
	{
	}
	__device__ ~Counted()
	{
		if (count)
			atomicAdd(count, 1);
	}
};

__global__ void make(Plain **plain, Counted **counted, int length, int *count)
{
	int i = threadIdx.x;

	plain[i] = new Plain[length];
	counted[i] = new Counted[length];
	for (int k = 0; k < length; k++) {
		plain[i][k].number += i + k;
		counted[i][k].count = count;
	}
}

// Each element must be as its owner left it.
__global__ void drop(Plain **plain, Counted **counted, int length, int *wrong)
{
	int i = threadIdx.x;

	for (int k = 0; k < length; k++)
		if (plain[i][k].number != 1 + i + k || plain[i][k].rest != 2)
			atomicAdd(wrong, 1);
	delete[] plain[i];
	delete[] counted[i];
}

int main()
{
	const int THREADS = 50, LENGTH = 6;
	int *d_results, *h_results; // elements destroyed, elements wrong
	Counted **counted;
	Plain **plain;

	CHECK(cudaMalloc(&plain, THREADS * sizeof(*plain)));
	CHECK(cudaMalloc(&counted, THREADS * sizeof(*counted)));
	CHECK(cudaMalloc(&d_results, 2 * sizeof(int)));
	CHECK(cudaMallocHost(&h_results, 2 * sizeof(int)));
	CHECK(cudaMemset(d_results, 0, 2 * sizeof(int)));
	make<<<1, THREADS>>>(plain, counted, LENGTH, d_results);
	drop<<<1, THREADS>>>(plain, counted, LENGTH, d_results + 1);
	CHECK(cudaMemcpy(h_results, d_results, 2 * sizeof(int), cudaMemcpyDeviceToHost));
	if (runs_kernels() && (h_results[0] != THREADS * LENGTH || h_results[1] != 0))
		return EXIT_WRONG;
	CHECK(cudaFree(plain));
	CHECK(cudaFree(counted));
	CHECK(cudaFree(d_results));
	CHECK(cudaFreeHost(h_results));
	return 0;
}
