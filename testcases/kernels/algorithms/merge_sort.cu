// A merge sort: each thread finds its place in two sorted runs by bisection (a merge path), and
// merges a few elements; runs double with each launch. Equal keys keep their order.
// expect: clean
#include "testcases/compute.h"

#include <algorithm>

static const int N = 3000, EACH = 8;

struct record {
	int key, place;
};

__device__ static int first_of(const record *a, int a_count, const record *b, int b_count, int at)
{
	int low = max(0, at - b_count), high = min(at, a_count);

	while (low < high) {
		int middle = (low + high) / 2;

		if (a[middle].key <= b[at - 1 - middle].key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

__global__ void merge(const record *from, record *to, int run)
{
	int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;

	if (first >= N)
		return;
	int start = first / (2 * run) * 2 * run;
	const record *a = from + start, *b = a + run;
	int a_count = min(run, N - start), b_count = min(run, max(0, N - start - run));

	// A thread's elements may lie in several pairs of runs while these are short.
	for (int i = first; i < min(first + EACH, N);) {
		int at = i - start, k = first_of(a, a_count, b, b_count, at), m = at - k;

		for (; i < min(first + EACH, N) && i < start + a_count + b_count; i++)
			to[i] = m >= b_count || (k < a_count && a[k].key <= b[m].key) ? a[k++]
										      : b[m++];
		start += 2 * run;
		a = from + start;
		b = a + run;
		a_count = min(run, N - start);
		b_count = min(run, max(0, N - start - run));
	}
}

int main()
{
	need_kernels();
	record *want = host_array<record>(N), *got = host_array<record>(N), *d_data[2];
	unsigned state = 83;
	int turn = 0;

	for (int i = 0; i < N; i++)
		want[i] = {(int)(random_next(&state) % 500), i};
	d_data[0] = device_copy(want, N);
	d_data[1] = device_array<record>(N);
	for (int run = 1; run < N; run *= 2, turn = 1 - turn)
		merge<<<(N / EACH + 64) / 64, 64>>>(d_data[turn], d_data[1 - turn], run);
	read_back(got, d_data[turn], N);
	std::stable_sort(want, want + N,
			 [](const record &a, const record &b) { return a.key < b.key; });
	expect_equal("records", got, want, N);
	free_device(d_data[0], d_data[1]);
	free_host(got, want);
	return 0;
}
