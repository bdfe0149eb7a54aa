// A kernel writes device memory by a pointer that it loads, and nothing orders it before what
// another stream does to that memory: a copy, a fill, a kernel that gets the address or loads it.
// expect: SC-106 at=copy proven order=no_event when=executed
// expect[FILL]: SC-105 at=fill proven order=no_event when=executed
// expect[KERNEL]: SC-106 at=kernel proven order=no_event when=executed
// expect[BOTH]: SC-106 at=both proven order=no_event when=executed
// expect[BOTH]: SC-106 at=both possible doubt=footprint when=unexecuted
// expect[GRAPH]: SC-106 at=copy proven order=no_event when=executed
// expect[OTHER]: clean
// expect[FIXED]: clean
#include "testcases/common.h"

static const int N = 1 << 12;

static __global__ void write_row(float **rows, int row)
{
	rows[row][blockIdx.x * blockDim.x + threadIdx.x] = 7;
}

static __global__ void add_row(const float *row, float *total)
{
	atomicAdd(total, row[blockIdx.x * blockDim.x + threadIdx.x]);
}

static __global__ void add_loaded_row(float *const *rows, int row, float *total)
{
	atomicAdd(total, rows[row][blockIdx.x * blockDim.x + threadIdx.x]);
}

static void launch(float **rows, cudaStream_t stream)
{
#ifdef GRAPH
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	write_row<<<N / 256, 256, 0, stream>>>(rows, 1);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
#else
	write_row<<<N / 256, 256, 0, stream>>>(rows, 1);
#endif
	CHECK(cudaGetLastError());
}

int main()
{
	const size_t bytes = N * sizeof(float);
	float *row[2] = {on_device(bytes), on_device(bytes)}, **rows;
	float *h_data = pinned(bytes), *total = on_device(sizeof(float));
	cudaStream_t a, b;

	CHECK(cudaStreamCreate(&a));
	CHECK(cudaStreamCreate(&b));
	CHECK(cudaMalloc(&rows, sizeof(row)));
	CHECK(cudaMemcpy(rows, row, sizeof(row), cudaMemcpyHostToDevice));
	CHECK(cudaMemset(total, 0, sizeof(float)));
	CHECK(cudaDeviceSynchronize());
	launch(rows, a);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(a));
#endif
#if defined(FILL)
	CHECK(cudaMemsetAsync(row[1], 0, bytes, b)); // @fill
#elif defined(KERNEL)
	add_row<<<N / 256, 256, 0, b>>>(row[1], total); // @kernel
#elif defined(BOTH)
	add_loaded_row<<<N / 256, 256, 0, b>>>(rows, 1, total); // @both
#elif defined(OTHER)
	CHECK(cudaMemcpyAsync(h_data, row[0], bytes, cudaMemcpyDeviceToHost, b));
#else
	CHECK(cudaMemcpyAsync(h_data, row[1], bytes, cudaMemcpyDeviceToHost, b)); // @copy
#endif
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	(void)add_row;
	(void)add_loaded_row;
	(void)total;
	return 0;
}
