// Graphs that are captured get the address of the body of an earlier conditional node, whose end
// no call names. The conditional node that is added to such a capture has a body that is known.
// expect: clean
#include "testcases/common.h"

static void add_conditional(cudaStream_t stream)
{
	struct cudaGraphNodeParams params = {};
	const cudaGraphNode_t *before;
	cudaStreamCaptureStatus status;
	cudaGraphNode_t node;
	cudaGraph_t graph;
	size_t count;

	CHECK(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &before, NULL, &count));
	params.type = cudaGraphNodeTypeConditional;
	params.conditional.type = cudaGraphCondTypeIf;
	params.conditional.size = 2;
	CHECK(cudaGraphConditionalHandleCreate(&params.conditional.handle, graph, 0, 0));
	CHECK(cudaGraphAddNode(&node, graph, before, NULL, count, &params));
	CHECK(cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1,
						  cudaStreamSetCaptureDependencies));
}

int main()
{
	cudaStream_t streams[4];
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	for (cudaStream_t &stream : streams)
		CHECK(cudaStreamCreate(&stream));
	for (int i = 0; i < 8; i++) {
		for (cudaStream_t stream : streams) {
			CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
			add_conditional(stream);
		}
		for (cudaStream_t stream : streams) {
			CHECK(cudaStreamEndCapture(stream, &graph));
			CHECK(cudaGraphInstantiate(&exec, graph, 0));
			CHECK(cudaGraphExecDestroy(exec));
			CHECK(cudaGraphDestroy(graph));
		}
	}
	for (cudaStream_t stream : streams)
		CHECK(cudaStreamDestroy(stream));
	return 0;
}
