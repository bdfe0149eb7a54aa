// One executable graph is launched in two streams from one thread, and its parameters are changed
// while a launch of it may run: launches of one graph never overlap. (15.5 item 8)
// expect: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t first, second;
	cudaGraph_t graph;
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	struct cudaMemsetParams set = {};

	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	set.dst = d_data;
	set.elementSize = 1;
	set.width = bytes;
	set.height = 1;
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &set));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, first));
	set.value = 1;
	CHECK(cudaGraphExecMemsetNodeSetParams(exec, node, &set));
	CHECK(cudaGraphLaunch(exec, second));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, second));
	CHECK(cudaStreamSynchronize(second));
	if (((const unsigned char *)h_back)[bytes - 1] != 1)
		return EXIT_WRONG;
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
