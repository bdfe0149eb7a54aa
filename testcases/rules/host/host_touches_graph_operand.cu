// The host touches memory that a launched graph is using: what a copy, a fill or a kernel of it
// reads or writes, at a replay, after an update; and what lies beside it, or belonged to it before.
// expect: SC-101 at=read proven order=none
// expect[SOURCE]: SC-102 at=write proven order=none
// expect[FILL]: SC-101 at=read proven order=none
// expect[KERNEL]: SC-101 at=read proven order=none
// expect[REPLAY]: SC-101 at=read proven order=none
// expect[UPDATED]: SC-101 at=read_other proven order=none
// expect[REPLACED]: SC-101 at=read_other proven order=none
// expect[MANY]: SC-101 at=read proven order=none
// expect[CHILD]: SC-101 at=read proven order=none
// expect[BODY]: SC-101 at=read possible doubt=conditional_body
// expect[BESIDE]: clean
// expect[BEFORE]: clean
// expect[SWITCHED]: clean
// expect[FIXED]: clean
#include "testcases/common.h"

static const int chunks = 100, chunk = 64;
static const size_t bytes = (size_t)chunks * chunk;
static char *h_data, *h_other, *d_data;
static volatile char sink;

static __global__ void write(char *out, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		out[i] = 7;
}

static cudaGraphNode_t add_copy(cudaGraph_t graph, char *to, const char *from, size_t count)
{
	cudaGraphNode_t node;

	CHECK(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, to, from, count, cudaMemcpyDefault));
	return node;
}

static cudaGraphNode_t add_work(cudaGraph_t graph, char *host)
{
#if defined(SOURCE)
	return add_copy(graph, d_data, host, bytes);
#elif defined(FILL)
	cudaMemsetParams fill = {};
	cudaGraphNode_t node;

	fill.dst = host;
	fill.elementSize = 1;
	fill.width = bytes;
	fill.height = 1;
	CHECK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill));
	return node;
#elif defined(KERNEL)
	int count = bytes;
	void *parameters[] = {&host, &count};
	cudaKernelNodeParams kernel = {};
	cudaGraphNode_t node;

	kernel.func = (void *)write;
	kernel.gridDim = dim3(bytes / 64);
	kernel.blockDim = dim3(64);
	kernel.kernelParams = parameters;
	CHECK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
	return node;
#elif defined(MANY)
	for (int i = chunks - 1; i > 0; i--) // of every chunk all but the last byte
		add_copy(graph, host + i * chunk, d_data + i * chunk, chunk - 1);
	return add_copy(graph, host, d_data, chunk - 1);
#elif defined(BESIDE)
	return add_copy(graph, host + 1, d_data, chunk);
#elif defined(CHILD)
	cudaGraphNode_t node;
	cudaGraph_t child;

	CHECK(cudaGraphCreate(&child, 0));
	add_copy(child, host, d_data, bytes);
	CHECK(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child));
	CHECK(cudaGraphDestroy(child));
	return node;
#elif defined(BODY)
	cudaGraphNodeParams branch = {};
	cudaGraphNode_t node;

	branch.type = cudaGraphNodeTypeConditional;
	branch.conditional.type = cudaGraphCondTypeIf;
	branch.conditional.size = 1;
	CHECK(cudaGraphConditionalHandleCreate(&branch.conditional.handle, graph, 0,
					       cudaGraphCondAssignDefault));
	CHECK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &branch));
	add_copy(branch.conditional.phGraph_out[0], host, d_data, bytes);
	return node;
#else
	return add_copy(graph, host, d_data, bytes);
#endif
}

static void change(cudaGraphExec_t exec, cudaGraphNode_t node)
{
#if defined(UPDATED) || defined(BEFORE)
	CHECK(cudaGraphExecMemcpyNodeSetParams1D(exec, node, h_other, d_data, bytes,
						 cudaMemcpyDefault));
#elif defined(SWITCHED)
	CHECK(cudaGraphNodeSetEnabled(exec, node, 0));
#elif defined(REPLACED)
	cudaGraphExecUpdateResultInfo info = {};
	cudaGraph_t graph;

	CHECK(cudaGraphCreate(&graph, 0));
	add_work(graph, h_other);
	CHECK(cudaGraphExecUpdate(exec, graph, &info));
	CHECK(cudaGraphDestroy(graph));
#endif
}

static void touch()
{
#if defined(BESIDE)
	sink = h_data[0];
	h_data[chunk + 1] = 1;
#elif defined(SOURCE)
	h_data[chunk] = 1; // @write
#elif defined(UPDATED) || defined(REPLACED)
	sink = h_other[chunk]; // @read_other
#else
	sink = h_data[90 * chunk]; // @read
#endif
}

int main()
{
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph;

	h_data = (char *)pinned(bytes);
	h_other = (char *)pinned(bytes);
	d_data = (char *)on_device(bytes);
	CHECK(cudaMemset(d_data, 7, bytes));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaGraphCreate(&graph, 0));
	node = add_work(graph, h_data);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
#ifdef REPLAY
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	sink = h_data[0];
#endif
	change(exec, node);
	CHECK(cudaGraphLaunch(exec, stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	touch();
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_other));
	return 0;
}
