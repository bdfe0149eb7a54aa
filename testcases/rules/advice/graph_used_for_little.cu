// An executable graph is made for every single launch. With -DSHARED one serves two streams, whose
// launches wait for each other.
// expect: SC-314 at=instantiate proven
// expect[FIXED]: clean
// expect[SHARED]: SC-314 at=launch proven
#include "testcases/common.h"

#define ROUNDS 24

int main()
{
	const size_t bytes = 1 << 14;
	float *d_data = on_device(bytes);
	cudaMemsetParams fill = {};
	cudaStream_t stream[2];
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	cudaGraph_t graph;

	fill.dst = d_data;
	fill.elementSize = 1;
	fill.width = bytes;
	fill.height = 1;
	for (cudaStream_t &s : stream)
		CHECK(cudaStreamCreate(&s));
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < ROUNDS; i++) {
#if defined(FIXED)
		CHECK(cudaGraphLaunch(exec, stream[0]));
#elif defined(SHARED)
		CHECK(cudaGraphLaunch(exec, stream[i % 2])); // @launch
#else
		CHECK(cudaGraphExecDestroy(exec));
		CHECK(cudaGraphInstantiate(&exec, graph, 0)); // @instantiate
		CHECK(cudaGraphLaunch(exec, stream[0]));
#endif
	}
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	for (cudaStream_t s : stream)
		CHECK(cudaStreamDestroy(s));
	CHECK(cudaFree(d_data));
	return 0;
}
