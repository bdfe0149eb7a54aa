// A graph copies to a buffer that is freed between two launches. It is right with another buffer,
// given to the node before the second launch.
// expect: SC-136 at=copy_out proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *d_data = on_device(bytes), *d_copy = on_device(bytes);
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemset(d_data, 0, bytes));
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, d_copy, d_data, bytes,
				       cudaMemcpyDeviceToDevice)); // @copy_out
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaFree(d_copy));
#ifdef FIXED
	float *d_other = on_device(bytes);

	CHECK(cudaGraphExecMemcpyNodeSetParams1D(exec, node, d_other, d_data, bytes,
						 cudaMemcpyDeviceToDevice));
#endif
	// What the driver says of a dead address, and of calls after it, is not the point.
	cudaGraphLaunch(exec, stream);
	cudaMemsetAsync(d_data, 1, bytes, stream);
	cudaStreamSynchronize(stream);
#ifdef FIXED
	CHECK(cudaFree(d_other));
	CHECK(cudaFree(d_data));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
#endif
	return 0;
}
