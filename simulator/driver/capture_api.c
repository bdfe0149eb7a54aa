/* The capture functions of the API. */
#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/capture.h"
#include "simulator/driver/context.h"
#include "simulator/driver/graph.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/stream.h"
#include "simulator/driver/thread.h"

static CUresult begin(CUstream handle, CUstreamCaptureMode mode, CUgraph graph,
		      const CUgraphNode *nodes, size_t count)
{
	struct sim_capture *capture;
	CUstream stream;
	CUresult result = sim_stream_get(handle, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if ((unsigned int)mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	if (stream->is_legacy) /* capture cannot start there (G-1) */
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (stream->capture)
		return CUDA_ERROR_ILLEGAL_STATE;
	capture = sim_capture_new(stream, mode, graph);
	if (!capture)
		return CUDA_ERROR_OUT_OF_MEMORY;
	sim_capture_enter(stream, capture);
	sim_capture_put(capture);
	result = sim_capture_set_heads(stream, nodes, count);
	if (result != CUDA_SUCCESS)
		sim_capture_leave(stream);
	return result;
}

CUresult sim_cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode)
{
	return begin(hStream, mode, NULL, NULL, 0);
}

CUresult sim_cuStreamBeginCapture(CUstream hStream)
{
	return begin(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL, NULL, NULL, 0);
}

static bool are_nodes_of(CUgraph graph, const CUgraphNode *nodes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!sim_handle_is(nodes[i], SIM_KIND_NODE) || nodes[i]->graph != graph)
			return false;
	return true;
}

CUresult sim_cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph,
					 const CUgraphNode *dependencies,
					 const CUgraphEdgeData *dependencyData,
					 size_t numDependencies, CUstreamCaptureMode mode)
{
	if (!sim_edges_are_plain(dependencyData, numDependencies))
		return sim_call_unsupported("graph edges with data");
	if (!sim_handle_is(hGraph, SIM_KIND_GRAPH))
		return CUDA_ERROR_INVALID_VALUE;
	if ((numDependencies && !dependencies) ||
	    !are_nodes_of(hGraph, dependencies, numDependencies))
		return CUDA_ERROR_INVALID_VALUE;
	return begin(hStream, mode, hGraph, dependencies, numDependencies);
}

static CUresult end_result(const struct sim_capture *capture)
{
	if (capture->broken != CUDA_SUCCESS)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	if (!sim_capture_is_joined(capture))
		return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
	struct sim_capture *capture;
	CUstream stream;
	CUresult result = sim_stream_get(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!phGraph)
		return CUDA_ERROR_INVALID_VALUE;
	*phGraph = NULL;
	capture = stream->capture;
	if (!capture)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (capture->origin != stream)
		return sim_capture_break(stream, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
	if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
	    capture->thread != sim_thread_self()->id)
		return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
	result = end_result(capture);
	capture->refs++;
	sim_capture_leave_all(capture);
	if (result == CUDA_SUCCESS) {
		*phGraph = capture->graph;
		capture->graph = NULL;
	}
	sim_capture_put(capture);
	return result;
}

static CUstreamCaptureStatus status_of(CUstream stream)
{
	if (!stream->capture)
		return CU_STREAM_CAPTURE_STATUS_NONE;
	return stream->capture->broken == CUDA_SUCCESS ? CU_STREAM_CAPTURE_STATUS_ACTIVE
						       : CU_STREAM_CAPTURE_STATUS_INVALIDATED;
}

CUresult sim_cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
	CUstream stream;
	CUresult result = sim_stream_get(hStream, &stream);

	if (result == CUDA_SUCCESS)
		result = sim_capture_check_legacy(stream);
	if (result != CUDA_SUCCESS)
		return result;
	if (!captureStatus)
		return CUDA_ERROR_INVALID_VALUE;
	*captureStatus = status_of(stream);
	return CUDA_SUCCESS;
}

static CUresult get_info(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id,
			 CUgraph *graph, const CUgraphNode **nodes, size_t *count)
{
	CUstream stream;
	CUresult result = sim_stream_get(handle, &stream);
	bool is_active;

	if (result == CUDA_SUCCESS)
		result = sim_capture_check_legacy(stream);
	if (result != CUDA_SUCCESS)
		return result;
	if (!status)
		return CUDA_ERROR_INVALID_VALUE;
	*status = status_of(stream);
	is_active = *status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
	if (id && is_active)
		*id = stream->capture->id;
	if (graph && is_active)
		*graph = stream->capture->graph;
	if (nodes && is_active)
		*nodes = stream->heads;
	if (count && is_active)
		*count = stream->head_count;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
				    cuuint64_t *id_out)
{
	return get_info(hStream, captureStatus_out, id_out, NULL, NULL, NULL);
}

CUresult sim_cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
				       cuuint64_t *id_out, CUgraph *graph_out,
				       const CUgraphNode **dependencies_out,
				       size_t *numDependencies_out)
{
	return get_info(hStream, captureStatus_out, id_out, graph_out, dependencies_out,
			numDependencies_out);
}

/* All edges are full dependencies, so there is no edge data to give. */
CUresult sim_cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
				       cuuint64_t *id_out, CUgraph *graph_out,
				       const CUgraphNode **dependencies_out,
				       const CUgraphEdgeData **edgeData_out,
				       size_t *numDependencies_out)
{
	if (edgeData_out)
		*edgeData_out = NULL;
	return get_info(hStream, captureStatus_out, id_out, graph_out, dependencies_out,
			numDependencies_out);
}

CUresult sim_cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies,
					       size_t numDependencies, unsigned int flags)
{
	CUstream stream;
	CUresult result = sim_stream_get_for_work(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!stream->capture)
		return CUDA_ERROR_ILLEGAL_STATE;
	if ((numDependencies && !dependencies) || flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES ||
	    !are_nodes_of(stream->capture->graph, dependencies, numDependencies))
		return CUDA_ERROR_INVALID_VALUE;
	if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
		return sim_capture_set_heads(stream, dependencies, numDependencies);
	return sim_capture_add_heads(stream, dependencies, numDependencies);
}

CUresult sim_cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
						  const CUgraphEdgeData *dependencyData,
						  size_t numDependencies, unsigned int flags)
{
	if (!sim_edges_are_plain(dependencyData, numDependencies))
		return sim_call_unsupported("graph edges with data");
	return sim_cuStreamUpdateCaptureDependencies(hStream, dependencies, numDependencies, flags);
}

CUresult sim_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	struct sim_thread *thread = sim_thread_self();
	CUstreamCaptureMode old = thread->mode;

	if (!mode || (unsigned int)*mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	thread->mode = *mode;
	*mode = old;
	return CUDA_SUCCESS;
}
