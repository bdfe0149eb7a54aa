// A node of a graph copies a buffer and copies the copy: the copies of a batch have no order among
// them, in a graph either.
// expect: SC-118 at=batch proven
// expect[FIXED]: clean
// expect[ADDED]: SC-118 at=added proven
// expect[UPDATED]: SC-118 at=updated proven
// expect[READ_EARLY]: SC-101 at=sum proven order=none
// expect[RECAPTURED]: SC-118 at=batch proven
#include "testcases/driver.h"
#include "testcases/recapture.h"

#define MEMCPY_BATCH 14 // of CUgraphNodeType, since CUDA 13.1

// As cuda.h of CUDA 13.1 has it.
struct batch_node {
	size_t count;
	CUdeviceptr *dsts, *srcs;
	size_t *sizes;
	CUmemcpyAttributes *attrs;
	size_t *attrsIdxs, numAttrs;
	CUcontext ctx;
};

typedef CUresult newer_cuGraphNodeGetParams(CUgraphNode, CUgraphNodeParams *);

struct batch {
	CUdeviceptr dsts[2], srcs[2];
	size_t sizes[2], first;
	CUmemcpyAttributes order;
	struct batch_node node;
};

// From the first buffer to the second, and from `source` to the third.
static void set(struct batch *b, float **buffers, float *source, size_t bytes)
{
	memset(b, 0, sizeof(*b));
	b->srcs[0] = (CUdeviceptr)buffers[0];
	b->dsts[0] = (CUdeviceptr)buffers[1];
	b->srcs[1] = (CUdeviceptr)source;
	b->dsts[1] = (CUdeviceptr)buffers[2];
	b->sizes[0] = b->sizes[1] = bytes;
	b->order.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
	b->node = {2, b->dsts, b->srcs, b->sizes, &b->order, &b->first, 1, NULL};
}

static CUgraphNodeParams parameters(const struct batch *b)
{
	CUgraphNodeParams params = {};

	params.type = (CUgraphNodeType)MEMCPY_BATCH;
	memcpy(params.reserved1, &b->node, sizeof(b->node));
	return params;
}

// A driver before 13.1 has other nodes of such calls, and none before 13.2 can be asked for them.
static void need_nodes(void)
{
	driver_function("cuGraphNodeGetParams", 13020);
}

HOST_LOOP void copy(struct batch *b, cudaStream_t stream)
{
	DRIVER_CHECK(DRIVER(cuMemcpyBatchAsync)(b->dsts, b->srcs, b->sizes, 2, &b->order, &b->first,
						1, stream)); // @batch
}

[[maybe_unused]] static cudaGraph_t capture(struct batch *b, cudaStream_t stream)
{
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	copy(b, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	return graph;
}

static cudaError_t count_asked(void *asked, cudaGraphNode_t, const cudaGraphNodeParams *,
			       const cudaGraphNodeParams *, int)
{
	++*(int *)asked;
	return cudaSuccess;
}

// Captured again the copies are other ones; only then is the program asked.
[[maybe_unused]] static void capture_again(struct batch *b, cudaGraph_t graph, cudaGraphExec_t exec,
					   float *source, cudaStream_t stream)
{
	cudaGraphExecUpdateResultInfo info;
	int asked = 0;
	recapture_callback callback = {count_asked, &asked};

	for (int i = 0; i < 2; i++) {
		recapture(stream, graph, &callback);
		copy(b, stream);
		CHECK(cudaStreamEndCapture(stream, &graph));
		if (asked != i)
			exit(EXIT_WRONG);
		b->srcs[1] = (CUdeviceptr)source;
	}
	CHECK(cudaGraphExecUpdate(exec, graph, &info));
}

HOST_LOOP CUgraph add(const struct batch *b)
{
	CUgraphNodeParams params = parameters(b);
	CUgraphNode node;
	cudaGraph_t graph;

	CHECK(cudaGraphCreate(&graph, 0));
	DRIVER_CHECK(DRIVER(cuGraphAddNode)(&node, graph, NULL, NULL, 0, &params)); // @added
	return graph;
}

// The node copies the first buffer twice until its parameters change.
HOST_LOOP void update(struct batch *b, cudaGraph_t graph, cudaGraphExec_t exec, float *source)
{
	CUgraphNodeParams params = parameters(b), found;
	struct batch_node batch;
	cudaGraphNode_t node;
	size_t count = 1;

	CHECK(cudaGraphGetNodes(graph, &node, &count));
	DRIVER_CHECK(NEWER_DRIVER(cuGraphNodeGetParams, 13020)(node, &found));
	memcpy(&batch, found.reserved1, sizeof(batch));
	if (count != 1 || found.type != params.type || batch.count != 2 ||
	    batch.srcs[1] != b->srcs[1])
		exit(EXIT_WRONG);
	b->srcs[1] = (CUdeviceptr)source;
	DRIVER_CHECK(DRIVER(cuGraphExecNodeSetParams)(exec, node, &params)); // @updated
}

int main()
{
	const int N = 1 << 12;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes), *buffers[3];
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph;
	struct batch b;

	need_nodes();
	for (int i = 0; i < 3; i++)
		buffers[i] = on_device(bytes);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(buffers[0], 0, bytes, stream));
	CHECK(cudaMemsetAsync(buffers[1], 1, bytes, stream));
#ifdef READ_EARLY
	buffers[2] = h_back;
#endif
#if defined(FIXED) || defined(UPDATED) || defined(READ_EARLY) || defined(RECAPTURED)
	set(&b, buffers, buffers[0], bytes);
#else
	set(&b, buffers, buffers[1], bytes);
#endif
#ifdef ADDED
	graph = add(&b);
#else
	graph = capture(&b, stream);
#endif
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
#ifdef UPDATED
	update(&b, graph, exec, buffers[1]);
	CHECK(cudaGraphLaunch(exec, stream));
#elif defined(RECAPTURED)
	capture_again(&b, graph, exec, buffers[1], stream);
	CHECK(cudaGraphLaunch(exec, stream));
#endif
#ifdef READ_EARLY
	printf("%g\n", sum(h_back, N)); // @sum
#else
	CHECK(cudaMemcpyAsync(h_back, buffers[2], bytes, cudaMemcpyDeviceToHost, stream));
#endif
	CHECK(cudaStreamSynchronize(stream));
#ifdef FIXED
	verify(h_back, 0, N);
#endif
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
