// Capturing into the nodes that a graph has (CUDA 13.3): functions that the headers of 13.0 lack.
#ifndef SC_TESTCASES_RECAPTURE_H
#define SC_TESTCASES_RECAPTURE_H

#include "testcases/newer.h"

// struct cudaGraphRecaptureCallbackData; `status` is an enum cudaGraphRecaptureStatus.
struct recapture_callback {
	cudaError_t (*function)(void *data, cudaGraphNode_t node, const cudaGraphNodeParams *before,
				const cudaGraphNodeParams *after, int status);
	void *data;
};

typedef cudaError_t newer_cudaStreamBeginRecaptureToGraph(cudaStream_t, cudaStreamCaptureMode,
							  cudaGraph_t, recapture_callback *);
typedef cudaError_t newer_cudaGraphNodeGetParams(cudaGraphNode_t, cudaGraphNodeParams *);

static inline void recapture(cudaStream_t stream, cudaGraph_t graph,
			     recapture_callback *callback = NULL)
{
	CHECK(NEWER(cudaStreamBeginRecaptureToGraph)(stream, cudaStreamCaptureModeGlobal, graph,
						     callback));
}

#endif
