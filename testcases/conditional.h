// Conditional nodes in captures.
#ifndef SC_TESTCASES_CONDITIONAL_H
#define SC_TESTCASES_CONDITIONAL_H

#include "testcases/common.h"

// Adds one after what was captured, and the rest of the capture after it. Each launch begins with
// the value 1. Returns the first of its bodies.
static inline cudaGraph_t add_conditional(cudaStream_t stream,
					  enum cudaGraphConditionalNodeType type, unsigned bodies,
					  cudaGraphConditionalHandle *handle)
{
	struct cudaGraphNodeParams params = {};
	const cudaGraphNode_t *before;
	cudaStreamCaptureStatus status;
	cudaGraphNode_t node;
	cudaGraph_t graph;
	size_t count;

	CHECK(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &before, NULL, &count));
	CHECK(cudaGraphConditionalHandleCreate(handle, graph, 1, cudaGraphCondAssignDefault));
	params.type = cudaGraphNodeTypeConditional;
	params.conditional.handle = *handle;
	params.conditional.type = type;
	params.conditional.size = bodies;
	CHECK(cudaGraphAddNode(&node, graph, before, NULL, count, &params));
	CHECK(cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1,
						  cudaStreamSetCaptureDependencies));
	return params.conditional.phGraph_out[0];
}

#endif
