// Memory of an allocation node: the fill of it does not depend on the allocation; or (-DOUTSIDE)
// another stream uses what the launch leaves allocated, without waiting for the launch.
// expect: SC-135 at=fill proven order=join
// expect[FIXED]: clean
// expect[OUTSIDE]: SC-135 at=use proven order=no_event
#include "testcases/common.h"

static const int N = 1 << 16;
static const size_t bytes = N * sizeof(float);

static cudaGraphNode_t add_alloc(cudaGraph_t graph, float **d_data)
{
	struct cudaMemAllocNodeParams p = {};
	cudaGraphNode_t node;

	p.poolProps.allocType = cudaMemAllocationTypePinned;
	p.poolProps.location.type = cudaMemLocationTypeDevice;
	p.poolProps.location.id = 0;
	p.bytesize = bytes;
	CHECK(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &p));
	*d_data = (float *)p.dptr;
	return node;
}

static cudaGraphNode_t add_fill(cudaGraph_t graph, float *d_data, const cudaGraphNode_t *after)
{
	struct cudaMemsetParams fill = {};
	cudaGraphNode_t node;

	fill.dst = d_data;
	fill.elementSize = 4;
	fill.width = N;
	fill.height = 1;
	CHECK(cudaGraphAddMemsetNode(&node, graph, after, after != NULL, &fill)); // @fill
	return node;
}

int main()
{
	cudaGraphNode_t nodes[3];
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph;
	float *d_data;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaGraphCreate(&graph, 0));
	nodes[0] = add_alloc(graph, &d_data);
#ifdef OUTSIDE
	(void)add_fill;
#else
#ifdef FIXED
	nodes[1] = add_fill(graph, d_data, nodes);
#else
	nodes[1] = add_fill(graph, d_data, NULL);
#endif
	CHECK(cudaGraphAddMemFreeNode(&nodes[2], graph, nodes, 2, d_data));
#endif
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
#ifdef OUTSIDE
	cudaStream_t other;

	CHECK(cudaStreamCreate(&other));
	CHECK(cudaMemsetAsync(d_data, 1, bytes, other)); // @use
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaFreeAsync(d_data, other));
#endif
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
