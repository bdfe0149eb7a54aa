// Two nodes of one graph use the same memory, and no dependency leads from one to the other: added
// by hand, captured from two streams (-DCAPTURED), in a child graph and beside it (-DCHILD), in
// the body of a conditional node (-DCONDITIONAL).
// expect: SC-134 at=fill proven order=no_path
// expect[FIXED]: clean
// expect[CAPTURED]: SC-134 at=copy_out proven order=no_path
// expect[CHILD]: SC-134 at=fill proven order=no_path
// expect[CONDITIONAL]: SC-134 at=fill possible doubt=conditional_body
#include "testcases/common.h"
#include "kernels/basic.cuh"

static const int N = 1 << 16;
static const size_t bytes = N * sizeof(float);

struct buffers {
	float *d_data, *h_back;
};

static cudaGraphNode_t add_fill(cudaGraph_t graph, const struct buffers *b)
{
	struct cudaMemsetParams fill = {};
	cudaGraphNode_t node;

	fill.dst = b->d_data;
	fill.elementSize = 4;
	fill.width = N;
	fill.height = 1;
	CHECK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill)); // @fill
	return node;
}

static cudaGraphNode_t add_copy(cudaGraph_t graph, const struct buffers *b,
				const cudaGraphNode_t *after)
{
	cudaGraphNode_t node;

	CHECK(cudaGraphAddMemcpyNode1D(&node, graph, after, after != NULL, b->h_back, b->d_data,
				       bytes, cudaMemcpyDeviceToHost));
	return node;
}

// Built by hand, with the fill in a child graph or not.
__attribute__((unused)) static cudaGraph_t build(const struct buffers *b)
{
	cudaGraphNode_t first;
	cudaGraph_t graph;

	CHECK(cudaGraphCreate(&graph, 0));
#ifdef CHILD
	cudaGraph_t child;

	CHECK(cudaGraphCreate(&child, 0));
	add_fill(child, b);
	CHECK(cudaGraphAddChildGraphNode(&first, graph, NULL, 0, child));
	CHECK(cudaGraphDestroy(child));
#elif defined(CONDITIONAL)
	struct cudaGraphNodeParams params = {};

	params.type = cudaGraphNodeTypeConditional;
	params.conditional.type = cudaGraphCondTypeIf;
	params.conditional.size = 1;
	CHECK(cudaGraphConditionalHandleCreate(&params.conditional.handle, graph, 1,
					       cudaGraphCondAssignDefault));
	CHECK(cudaGraphAddNode(&first, graph, NULL, NULL, 0, &params));
	add_fill(params.conditional.phGraph_out[0], b);
#else
	first = add_fill(graph, b);
#endif
#ifdef FIXED
	add_copy(graph, b, &first);
#else
	(void)first;
	add_copy(graph, b, NULL);
#endif
	return graph;
}

// A fork whose second branch does not wait for what the first does after the fork.
__attribute__((unused)) static cudaGraph_t capture(const struct buffers *b)
{
	cudaStream_t stream, other;
	cudaEvent_t forked, joined;
	cudaGraph_t graph;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&other));
	CHECK(cudaEventCreate(&forked));
	CHECK(cudaEventCreate(&joined));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaEventRecord(forked, stream));
	CHECK(cudaMemsetAsync(b->d_data, 0, bytes, stream));
	CHECK(cudaStreamWaitEvent(other, forked, 0));
	CHECK(cudaMemcpyAsync(b->h_back, b->d_data, bytes, cudaMemcpyDeviceToHost,
			      other)); // @copy_out
	CHECK(cudaEventRecord(joined, other));
	CHECK(cudaStreamWaitEvent(stream, joined, 0));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaEventDestroy(forked));
	CHECK(cudaEventDestroy(joined));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	return graph;
}

int main()
{
	struct buffers b = {on_device(bytes), pinned(bytes)};
	cudaGraphExec_t exec;
	cudaStream_t stream;
#ifdef CAPTURED
	cudaGraph_t graph = capture(&b);
#else
	cudaGraph_t graph = build(&b);
#endif

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	for (int i = 0; i < 3; i++)
		CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
#ifdef FIXED
	verify(b.h_back, 0, N);
#endif
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(b.d_data));
	CHECK(cudaFreeHost(b.h_back));
	return 0;
}
