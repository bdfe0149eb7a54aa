// Two branches of a graph fill the same memory. The program asks what the driver calls its nodes,
// and so do reports: the second fill is not the second node, because that was removed.
// expect: SC-134 at=second proven order=no_path
// expect[FIXED]: clean
#include "testcases/newer.h"

typedef cudaError_t newer_cudaGraphGetId(cudaGraph_t, unsigned *);
typedef cudaError_t newer_cudaGraphNodeGetLocalId(cudaGraphNode_t, unsigned *);

static const size_t bytes = 4096;

int main()
{
	float *d_data = on_device(bytes);
	cudaMemsetParams fill = {d_data, 0, 0, 1, bytes, 1};
	cudaGraphNode_t first, removed, second;
	unsigned id, local_first, local_second;
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemsetNode(&first, graph, NULL, 0, &fill));
	CHECK(cudaGraphAddEmptyNode(&removed, graph, NULL, 0));
	CHECK(cudaGraphDestroyNode(removed));
#ifdef FIXED
	CHECK(cudaGraphAddMemsetNode(&second, graph, &first, 1, &fill));
#else
	CHECK(cudaGraphAddMemsetNode(&second, graph, NULL, 0, &fill)); // @second
#endif
	CHECK(NEWER(cudaGraphGetId)(graph, &id));
	CHECK(NEWER(cudaGraphNodeGetLocalId)(first, &local_first));
	CHECK(NEWER(cudaGraphNodeGetLocalId)(second, &local_second));
	printf("node %u of graph %u\n", local_first, id);
	printf("node %u of graph %u\n", local_second, id);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
}
