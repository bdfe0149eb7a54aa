// The device's heap: a list that one kernel builds and another one follows and frees; malloc
// returns NULL when the heap is full, and gets again what was freed.
// expect: clean
#include "testcases/common.h"

struct Node {
	Node *next;
	int value;
};

__global__ void build(Node **lists, int length)
{
	Node *first = NULL;

	for (int i = 0; i < length; i++) {
		Node *node = (Node *)malloc(sizeof(Node));

		if (!node)
			break;
		node->next = first;
		node->value = i + threadIdx.x;
		first = node;
	}
	lists[threadIdx.x] = first;
}

__global__ void sum_and_free(Node **lists, int *sums)
{
	int sum = 0;

	for (Node *node = lists[threadIdx.x], *next; node; node = next) {
		next = node->next;
		sum += node->value;
		free(node);
	}
	sums[threadIdx.x] = sum;
}

// How often a MiB fits.
__global__ void fill(int *count)
{
	void *all[64];
	int n = 0;

	while (n < 64 && (all[n] = malloc(1 << 20)))
		n++;
	*count = n;
	while (n)
		free(all[--n]);
}

int main()
{
	const int THREADS = 40, LENGTH = 10;
	Node **lists;
	int *d_sums, *h_sums;
	const size_t bytes = (THREADS + 2) * sizeof(int);
	size_t heap;

	CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)16 << 20));
	CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
	CHECK(cudaMalloc(&lists, THREADS * sizeof(*lists)));
	CHECK(cudaMalloc(&d_sums, bytes));
	CHECK(cudaMallocHost(&h_sums, bytes));
	build<<<1, THREADS>>>(lists, LENGTH);
	sum_and_free<<<1, THREADS>>>(lists, d_sums);
	fill<<<1, 1>>>(d_sums + THREADS);
	fill<<<1, 1>>>(d_sums + THREADS + 1);
	CHECK(cudaMemcpy(h_sums, d_sums, bytes, cudaMemcpyDeviceToHost));
	for (int i = 0; runs_kernels() && i < THREADS; i++)
		if (h_sums[i] != LENGTH * (LENGTH - 1) / 2 + LENGTH * i)
			return EXIT_WRONG;
	if (runs_kernels() &&
	    (h_sums[THREADS] < 8 || h_sums[THREADS] > (int)(heap >> 20) || h_sums[THREADS + 1] < 8))
		return EXIT_WRONG;
	CHECK(cudaFree(lists));
	CHECK(cudaFree(d_sums));
	CHECK(cudaFreeHost(h_sums));
	return 0;
}
