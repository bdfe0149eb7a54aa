// The host reads what a copy in the body of a conditional node writes. Whether the body ran is
// known where the device says what its kernel touched: it did in the first launch, and not in the
// second.
// expect: SC-101 at=read proven order=none when=executed
// expect: SC-101 at=read possible doubt=conditional_body when=unexecuted
// expect[RESTED]: SC-101 at=read_later possible doubt=conditional_body
// expect[FIXED]: clean
#include "testcases/common.h"

static const size_t bytes = 4096;
static volatile float sink;

__global__ void decide(cudaGraphConditionalHandle handle, const int *flag)
{
	cudaGraphSetConditional(handle, *flag);
}

__global__ void increase(float *data)
{
	data[threadIdx.x] += 1;
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, void *kernel, int threads, void **parameters)
{
	cudaKernelNodeParams params = {};
	cudaGraphNode_t node;

	params.func = kernel;
	params.gridDim = dim3(1);
	params.blockDim = dim3(threads);
	params.kernelParams = parameters;
	CHECK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
	return node;
}

// if (*flag) { increase(d_data); copy d_data to h_data; }
static cudaGraph_t new_graph(int *flag, float *d_data, float *h_data)
{
	cudaGraphNodeParams branch = {};
	cudaGraphConditionalHandle handle;
	cudaGraphNode_t first, inner, node;
	cudaGraph_t graph, body;

	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, cudaGraphCondAssignDefault));
	void *decides[] = {&handle, &flag};

	first = add_kernel(graph, (void *)decide, 1, decides);
	branch.type = cudaGraphNodeTypeConditional;
	branch.conditional.handle = handle;
	branch.conditional.type = cudaGraphCondTypeIf;
	branch.conditional.size = 1;
	CHECK(cudaGraphAddNode(&node, graph, &first, NULL, 1, &branch));
	body = branch.conditional.phGraph_out[0];
	void *increases[] = {&d_data};

	inner = add_kernel(body, (void *)increase, 64, increases);
	CHECK(cudaGraphAddMemcpyNode1D(&node, body, &inner, 1, h_data, d_data, bytes,
				       cudaMemcpyDefault));
	return graph;
}

static void launch(cudaGraphExec_t exec, cudaStream_t stream, int *flag, int value)
{
	CHECK(cudaMemcpy(flag, &value, sizeof(value), cudaMemcpyHostToDevice));
	CHECK(cudaGraphLaunch(exec, stream));
}

int main()
{
	float *d_data = on_device(bytes), *h_data = pinned(bytes);
	int *flag = (int *)on_device(sizeof(*flag));
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemset(d_data, 0, bytes));
	CHECK(cudaDeviceSynchronize());
	graph = new_graph(flag, d_data, h_data);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	launch(exec, stream, flag, 1);
#if !defined(FIXED) && !defined(RESTED)
	sink = h_data[3]; // @read
#endif
	CHECK(cudaStreamSynchronize(stream));
	launch(exec, stream, flag, 0);
#ifdef RESTED
	sink = h_data[3]; // @read_later
#endif
	CHECK(cudaStreamSynchronize(stream));
	verify_kernel(h_data, 1, 64);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(flag));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
