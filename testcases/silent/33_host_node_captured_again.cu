// A program gets its own host function back from the node, and is not asked about it when the same
// work is captured into the graph again; in the function that is asked it may make calls of CUDA.
// expect: clean
#include "testcases/recapture.h"

static const size_t bytes = 4096;

__global__ void set(float *out, float value)
{
	out[threadIdx.x] = value;
}

static void CUDART_CB count(void *data)
{
	++*(int *)data;
}

static cudaError_t note(void *data, cudaGraphNode_t, const cudaGraphNodeParams *before,
			const cudaGraphNodeParams *after, int)
{
	cudaStream_t unused;

	++*(int *)data;
	if (before->type == cudaGraphNodeTypeHost &&
	    (before->host.fn != count || after->host.fn != count))
		return cudaErrorInvalidValue;
	CHECK(cudaStreamCreate(&unused));
	CHECK(cudaStreamDestroy(unused));
	return cudaSuccess;
}

static void enqueue(float *d_data, int value, int *counter, cudaStream_t stream)
{
	CHECK(cudaMemsetAsync(d_data, value, bytes, stream));
	set<<<1, 32, 0, stream>>>(d_data, (float)value);
	CHECK(cudaGetLastError());
	CHECK(cudaLaunchHostFunc(stream, count, counter));
}

static void expect(int got, int wanted, const char *what)
{
	if (got == wanted)
		return;
	fprintf(stderr, "%s: %d, not %d\n", what, got, wanted);
	exit(1);
}

static void read_back(cudaGraph_t graph, const int *counter)
{
	cudaGraphNode_t nodes[3];
	size_t count_nodes = 3;

	CHECK(cudaGraphGetNodes(graph, nodes, &count_nodes));
	for (cudaGraphNode_t node : nodes) {
		cudaGraphNodeParams params = {cudaGraphNodeTypeEmpty};

		CHECK(NEWER(cudaGraphNodeGetParams)(node, &params));
		if (params.type == cudaGraphNodeTypeKernel)
			expect(params.kernel.func == (void *)set, 1, "its own kernel");
		if (params.type != cudaGraphNodeTypeHost)
			continue;
		expect(params.host.fn == count, 1, "its own function");
		expect(params.host.userData == counter, 1, "its own data");
	}
}

int main()
{
	float *d_data = on_device(bytes);
	int ran = 0, others = 0, asked = 0;
	recapture_callback callback = {note, &asked};
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph, again;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	enqueue(d_data, 1, &ran, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	read_back(graph, &ran);
	recapture(stream, graph, &callback);
	enqueue(d_data, 1, &ran, stream);
	CHECK(cudaStreamEndCapture(stream, &again));
	expect(asked, 0, "asked about the same work");
	recapture(stream, graph, &callback);
	enqueue(d_data, 2, &others, stream);
	CHECK(cudaStreamEndCapture(stream, &again));
	expect(asked, 3, "asked about other work");
	read_back(graph, &others);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	expect(ran, 0, "counted by the old node");
	expect(others, 1, "counted by the new node");
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
}
