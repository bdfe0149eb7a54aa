// A captured fill keeps the address of memory that is freed before the graph is instantiated: the
// driver refuses the graph, and says no more than that a value is invalid.
// expect: SC-136 at=fill proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const size_t bytes = 4096;
	float *data = on_device(bytes);
	cudaGraphExec_t exec = NULL;
	cudaStream_t stream;
	cudaGraph_t graph;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemsetAsync(data, 0, bytes, stream)); // @fill
	CHECK(cudaStreamEndCapture(stream, &graph));
#ifndef FIXED
	CHECK(cudaFree(data));
#endif
	if (cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess)
		printf("refused\n");
	else
		CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
#ifdef FIXED
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaFree(data));
#endif
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
