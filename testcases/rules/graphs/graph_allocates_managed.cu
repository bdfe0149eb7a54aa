// A graph allocates managed memory and fills it. The host reads it (-DEARLY: before the graph has
// ended), and frees it.
// expect: clean
// expect[EARLY]: SC-101 at=read proven order=none
#include "testcases/driver.h"

static const size_t bytes = 1 << 16;

int main()
{
	CUgraphNodeParams params = {};
	cudaGraphExec_t exec;
	cudaGraphNode_t fill;
	cudaGraph_t graph;
	cudaStream_t stream;
	CUgraphNode node;

	CHECK(cudaStreamCreate(&stream));
	auto add = DRIVER(cuGraphAddNode);
	params.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
	params.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED;
	params.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	params.alloc.bytesize = bytes;
	CHECK(cudaGraphCreate(&graph, 0));
	DRIVER_CHECK(add(&node, graph, NULL, NULL, 0, &params));
	char *data = (char *)params.alloc.dptr;
	struct cudaMemsetParams set = {};
	set.dst = data;
	set.value = 5;
	set.elementSize = 1;
	set.width = bytes;
	set.height = 1;
	CHECK(cudaGraphAddMemsetNode(&fill, graph, &node, 1, &set));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
#ifndef EARLY
	CHECK(cudaStreamSynchronize(stream));
#endif
	int last = data[bytes - 1]; // @read
#ifdef EARLY
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaFreeAsync(data, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	return last < 0;
}
