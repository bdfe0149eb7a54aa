// Kernels add to sums that nothing has cleared, one by itself and one in a graph. What a kernel
// only moves, as beside a bit field or in a table with room at its end, is no matter.
// expect: SC-409 at=adds likely doubt=simulated_device when=executed
// expect: SC-409 at=node likely doubt=simulated_device when=executed
// expect[FIXED]: clean
#include "testcases/common.h"

struct state {
	unsigned kind : 4, level : 4, unused : 24;
};

__global__ void add(float *sum, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		sum[i] += x[i];
}

__global__ void clear_and_add(float *sum, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	sum[i] = 0;
	__syncthreads();
	sum[i] += x[i];
}

__global__ void begin(state *states, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		states[i].kind = i & 3;
		__syncthreads();
		states[i].level = 1;
	}
}

__global__ void turn(float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float first = x[i];

	if (i < n / 2) {
		x[i] = x[n - 1 - i];
		x[n - 1 - i] = first;
	}
}

int main()
{
	const int N = 1 << 10;
	const size_t bytes = N * sizeof(float);
	float *x = on_device(bytes), *sum = on_device(bytes), *sums = on_device(bytes);
	float *own = on_device(bytes), *table = on_device(bytes);
	state *states = (state *)on_device(N * sizeof(*states));
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(x, 0, bytes, stream));
	CHECK(cudaMemsetAsync(table, 0, bytes / 2, stream));
#ifdef FIXED
	CHECK(cudaMemsetAsync(sum, 0, bytes, stream));
	CHECK(cudaMemsetAsync(sums, 0, bytes, stream));
#endif
	add<<<N / 256, 256, 0, stream>>>(sum, x, N); // @adds
	CHECK(cudaGetLastError());
	clear_and_add<<<N / 256, 256, 0, stream>>>(own, x, N);
	CHECK(cudaGetLastError());
	begin<<<N / 256, 256, 0, stream>>>(states, N);
	CHECK(cudaGetLastError());
	turn<<<N / 256, 256, 0, stream>>>(table, N);
	CHECK(cudaGetLastError());
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	add<<<N / 256, 256, 0, stream>>>(sums, x, N); // @node
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	for (float *p : {x, sum, sums, own, table, (float *)states})
		CHECK(cudaFree(p));
	return 0;
}
