// Breadth-first search on a graph (CSR): a queue of nodes for each level, filled by atomics, whose
// length the host reads to know whether there is another level.
// expect: clean
#include "testcases/compute.h"

#include <vector>

static const int NODES = 2000, DEGREE = 3, MOST_LEVELS = 64;

__global__ void visit(const int *first, const int *edges, const int *queue, int count, int *next,
		      int *next_count, int *level, int depth)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;
	for (int e = first[queue[i]]; e < first[queue[i] + 1]; e++)
		if (atomicCAS(&level[edges[e]], -1, depth) == -1)
			next[atomicAdd(next_count, 1)] = edges[e];
}

HOST_LOOP void visit_on_host(const int *first, const int *edges, int *level)
{
	std::vector<int> queue(1, 0);

	for (int i = 0; i < NODES; i++)
		level[i] = i ? -1 : 0;
	for (size_t at = 0; at < queue.size(); at++)
		for (int e = first[queue[at]]; e < first[queue[at] + 1]; e++)
			if (level[edges[e]] == -1) {
				level[edges[e]] = level[queue[at]] + 1;
				queue.push_back(edges[e]);
			}
}

int main()
{
	need_kernels();
	int *first = host_array<int>(NODES + 1), *edges = host_array<int>(NODES * DEGREE);
	int *level = host_array<int>(NODES), *want = host_array<int>(NODES);
	int *count = host_array<int>(1), depth = 0;
	unsigned state = 43;

	// Most edges go to near nodes; a tenth of the nodes have none.
	for (int i = 0; i < NODES; i++) {
		int degree = i % 10 == 9 ? 0 : DEGREE;

		first[i + 1] = first[i] + degree;
		for (int e = first[i]; e < first[i + 1]; e++)
			edges[e] = (i + random_next(&state) % 90) % NODES;
	}
	visit_on_host(first, edges, want);
	int *d_first = device_copy(first, NODES + 1), *d_edges = device_copy(edges, first[NODES]);
	int *d_level = device_array<int>(NODES), *d_count = device_array<int>(1);
	int *d_queue[2] = {device_zeros<int>(NODES), device_array<int>(NODES)};

	CHECK(cudaMemset(d_level, 0xff, NODES * sizeof(int)));
	CHECK(cudaMemset(d_level, 0, sizeof(int)));
	for (*count = 1; *count && depth < MOST_LEVELS; depth++) {
		CHECK(cudaMemset(d_count, 0, sizeof(int)));
		visit<<<(*count + 63) / 64, 64>>>(d_first, d_edges, d_queue[depth % 2], *count,
						  d_queue[1 - depth % 2], d_count, d_level,
						  depth + 1);
		read_back(count, d_count, 1);
	}
	read_back(level, d_level, NODES);
	expect_equal("levels", level, want, NODES);
	printf("%d levels\n", depth);
	free_device(d_first, d_edges, d_level, d_count, d_queue[0], d_queue[1]);
	free_host(first, edges, level, want, count);
	return 0;
}
