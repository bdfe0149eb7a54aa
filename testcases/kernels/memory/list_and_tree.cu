// Structures with pointers that kernels build and walk: a list that many threads push to, and a
// search tree into which threads insert with atomicCAS; both lie in a pool of nodes.
// expect: clean
#include "testcases/compute.h"

struct node {
	unsigned key;
	node *left, *right; // a list uses `left`
};

static const int N = 1000;

__host__ __device__ static unsigned key_of(int i)
{
	return (unsigned)i * 2654435761u % 65521;
}

__global__ void push(node *pool, node **head)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= N)
		return;
	node *mine = pool + i, *next = *(node *volatile *)head, *seen;

	mine->key = key_of(i);
	for (;;) {
		mine->left = next;
		__threadfence();
		seen = (node *)atomicCAS((unsigned long long *)head, (unsigned long long)next,
					 (unsigned long long)mine);
		if (seen == next)
			break;
		next = seen;
	}
}

__global__ void insert(node *pool, node **root)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= N)
		return;
	node *mine = pool + i, **at = root;

	mine->key = key_of(i);
	mine->left = mine->right = NULL;
	__threadfence();
	for (;;) {
		node *seen =
			(node *)atomicCAS((unsigned long long *)at, 0ull, (unsigned long long)mine);
		if (!seen)
			break;
		at = mine->key < seen->key ? &seen->left : &seen->right;
	}
}

// One thread walks the list; the sum and the count do not depend on its order.
__global__ void walk_list(node *const *head, unsigned long long *out)
{
	for (const node *at = *head; at; at = at->left) {
		out[0] += at->key;
		out[1]++;
	}
}

// In order of the keys, with a stack in local memory.
__global__ void walk_tree(node *const *root, unsigned *sorted)
{
	const node *stack[64], *at = *root;
	int depth = 0, count = 0;

	while (at || depth) {
		if (at) {
			stack[depth++] = at;
			at = at->left;
		} else {
			at = stack[--depth];
			sorted[count++] = at->key;
			at = at->right;
		}
	}
}

static int by_value(const void *a, const void *b)
{
	unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;

	return left < right ? -1 : left > right;
}

int main()
{
	need_kernels();
	node *d_pool = device_array<node>(2 * N), **d_heads = device_zeros<node *>(2);
	unsigned long long *sums = host_array<unsigned long long>(2), want = 0;
	unsigned long long *d_sums = device_zeros<unsigned long long>(2);
	unsigned *got = host_array<unsigned>(N), *keys = host_array<unsigned>(N);
	unsigned *d_sorted = device_array<unsigned>(N);

	push<<<(N + 95) / 96, 96>>>(d_pool, d_heads);
	walk_list<<<1, 1>>>(d_heads, d_sums);
	insert<<<(N + 95) / 96, 96>>>(d_pool + N, d_heads + 1);
	walk_tree<<<1, 1>>>(d_heads + 1, d_sorted);
	read_back(sums, d_sums, 2);
	read_back(got, d_sorted, N);
	for (int i = 0; i < N; i++)
		want += keys[i] = key_of(i);
	qsort(keys, N, sizeof(*keys), by_value);
	expect_value("list's sum", sums[0], want);
	expect_value("list's length", sums[1], (unsigned long long)N);
	expect_equal("tree", got, keys, N);
	free_device(d_pool, d_heads, d_sums, d_sorted);
	free_host(sums, got, keys);
	return 0;
}
