// Probe 24 (L-2, G-3): which edges does a capture make of a programmatic launch, and of what
// follows?
#include "probe.h"
#include <algorithm>

static __global__ void first(int *data)
{
	data[threadIdx.x] = 1;
	asm volatile("griddepcontrol.launch_dependents;");
}

static __global__ void second(int *data)
{
	asm volatile("griddepcontrol.wait;");
	data[threadIdx.x]++;
}

static void print_edges(const char *what, cudaGraph_t graph)
{
	cudaGraphNode_t nodes[8], from[16], to[16];
	cudaGraphEdgeData data[16];
	size_t count = 8, edges = 16;
	auto number = [&](cudaGraphNode_t node) {
		return (int)(std::find(nodes, nodes + count, node) - nodes);
	};

	CHECK(cudaGraphGetNodes(graph, nodes, &count));
	CHECK(cudaGraphGetEdges(graph, from, to, data, &edges));
	for (size_t i = 0; i < edges; i++)
		printf("fact: %s: edge %d -> %d = type %d, port %d -> %d\n", what, number(from[i]),
		       number(to[i]), data[i].type, data[i].from_port, data[i].to_port);
}

static void probe(const char *what, bool waits, cudaStream_t stream, cudaStream_t other, int *data)
{
	cudaGraph_t graph;
	cudaEvent_t event;

	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	CHECK(cudaEventRecord(event, stream));
	CHECK(cudaStreamWaitEvent(other, event));
	CHECK(cudaMemsetAsync(data + 32, 0, 4, other));
	CHECK(cudaEventRecord(event, other));
	first<<<1, 1, 0, stream>>>(data);
	if (waits)
		CHECK(cudaStreamWaitEvent(stream, event));
	launch_programmatic(stream, second, data);
	first<<<1, 1, 0, stream>>>(data);
	if (!waits)
		CHECK(cudaStreamWaitEvent(stream, event));
	CHECK(cudaStreamEndCapture(stream, &graph));
	print_edges(what, graph);
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaEventDestroy(event));
}

// Do kernel nodes report the context that they were made in?
static void probe_context(cudaStream_t stream, int *data)
{
	CUDA_KERNEL_NODE_PARAMS params = {};
	cudaGraphNode_t node;
	cudaGraph_t graph;
	size_t count = 1;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	first<<<1, 1, 0, stream>>>(data);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphGetNodes(graph, &node, &count));
	CHECK_DRIVER(cuGraphKernelNodeGetParams((CUgraphNode)node, &params));
	printf("fact: cuGraphKernelNodeGetParams gives a context = %d\n", params.ctx != NULL);
	CHECK(cudaGraphDestroy(graph));
}

int main()
{
	cudaStream_t stream, other;
	int *data;

	CHECK(cudaMalloc(&data, 4096));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	probe("kernel, PDL kernel, kernel", false, stream, other, data);
	probe("the same with a wait before the PDL kernel", true, stream, other, data);
	probe_context(stream, data);
	return 0;
}
