// Memory that kernels reach only through an address in a table, freed after them in the stream: of
// a pool, of cudaMalloc, of a graph's nodes, and of a graph that frees what it left (AUTO_FREE).
// expect: clean
#include "testcases/compute.h"

static const int ROUNDS = 4, EACH = 1000, THREADS = 250;

__global__ void enter(int **table, int *memory)
{
	*table = memory;
}

__global__ void fill(int *const *table, const int *round)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	table[0][i] = i + *round;
}

// One block for each round: nothing else writes its sum.
__global__ void add_up(int *const *table, int *round, int *sums)
{
	int total = 0;

	for (int i = 0; i < EACH; i++)
		total += table[0][i];
	sums[*round] = total;
	*round += 1;
}

struct state {
	int **table, *round, *sums, *got;
	cudaStream_t stream;
};

static void use(const state &s, int *memory)
{
	enter<<<1, 1, 0, s.stream>>>(s.table, memory);
	fill<<<EACH / THREADS, THREADS, 0, s.stream>>>(s.table, s.round);
	add_up<<<1, 1, 0, s.stream>>>(s.table, s.round, s.sums);
	CHECK(cudaGetLastError());
}

static void expect_sums(const state &s, const char *what)
{
	int want[ROUNDS];

	CHECK(cudaMemcpyAsync(s.got, s.sums, sizeof(want), cudaMemcpyDeviceToHost, s.stream));
	CHECK(cudaMemsetAsync(s.sums, 0, sizeof(want), s.stream));
	CHECK(cudaMemsetAsync(s.round, 0, sizeof(int), s.stream));
	CHECK(cudaStreamSynchronize(s.stream));
	for (int i = 0; i < ROUNDS; i++)
		want[i] = EACH * (EACH - 1) / 2 + EACH * i;
	expect_equal(what, s.got, want, ROUNDS);
}

static void use_streams_memory(const state &s, bool is_pool)
{
	for (int i = 0; i < ROUNDS; i++) {
		int *memory;

		if (is_pool)
			CHECK(cudaMallocAsync(&memory, EACH * sizeof(int), s.stream));
		else
			CHECK(cudaMalloc(&memory, EACH * sizeof(int)));
		use(s, memory);
		CHECK(cudaFreeAsync(memory, s.stream));
	}
}

static void use_graphs_memory(const state &s, bool frees)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	int *memory;

	CHECK(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMallocAsync(&memory, EACH * sizeof(int), s.stream));
	use(s, memory);
	if (frees)
		CHECK(cudaFreeAsync(memory, s.stream));
	CHECK(cudaStreamEndCapture(s.stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph,
				   frees ? 0 : cudaGraphInstantiateFlagAutoFreeOnLaunch));
	for (int i = 0; i < ROUNDS; i++)
		CHECK(cudaGraphLaunch(exec, s.stream));
	if (!frees)
		CHECK(cudaFreeAsync(memory, s.stream));
	expect_sums(s, frees ? "graph" : "graph that frees at its launch");
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
}

int main()
{
	need_kernels();
	state s = {device_zeros<int *>(1), device_zeros<int>(1), device_zeros<int>(ROUNDS),
		   host_array<int>(ROUNDS), NULL};

	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamCreate(&s.stream));
	use_streams_memory(s, true);
	expect_sums(s, "pool");
	use_streams_memory(s, false);
	expect_sums(s, "device memory");
	use_graphs_memory(s, true);
	use_graphs_memory(s, false);
	CHECK(cudaStreamDestroy(s.stream));
	free_device(s.table, s.round, s.sums);
	free_host(s.got);
	return 0;
}
