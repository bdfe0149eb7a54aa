// A kernel touches an address where no memory is; the wait says so, and the result is used anyhow.
// env: STREAMCHECK_SIM_FAILING_KERNEL=write_nowhere
// expect: SC-208 at=read possible doubt=earlier_error
// expect[LAUNCH]: SC-208 at=read possible doubt=earlier_error
// expect[FIXED]: clean
// exit[FIXED]: 3
#include "testcases/common.h"

#define GAVE_UP 3

__global__ void write_nowhere(int *nowhere)
{
	*nowhere = 1;
}

// A graph's kernel fails as one of a stream does.
static void fail(cudaStream_t stream)
{
#ifdef LAUNCH
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	write_nowhere<<<1, 1, 0, stream>>>(NULL);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
#else
	write_nowhere<<<1, 1, 0, stream>>>(NULL);
#endif
}

int main()
{
	const int N = 1 << 14;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes), *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	fail(stream);
#ifdef FIXED
	if (cudaStreamSynchronize(stream) != cudaSuccess)
		return GAVE_UP;
#else
	cudaStreamSynchronize(stream);
#endif
	printf("%g\n", sum(h_back, N)); // @read
	return 0;
}
