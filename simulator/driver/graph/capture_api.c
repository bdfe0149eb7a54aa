/* The capture functions of the API. */
#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/capture.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/stream/stream.h"
#include "simulator/driver/context/thread.h"
#include "simulator/driver/graph/user_object.h"

static CUresult begin(CUstream handle, CUstreamCaptureMode mode, CUgraph graph,
		      const struct sim_edges *heads)
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
	result = sim_capture_set_heads(stream, heads);
	if (result != CUDA_SUCCESS)
		sim_capture_leave(stream);
	return result;
}

CUresult sim_cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode)
{
	return begin(hStream, mode, NULL, &(struct sim_edges){0});
}

CUresult sim_cuStreamBeginCapture(CUstream hStream)
{
	return begin(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL, NULL, &(struct sim_edges){0});
}

/* Lists that the application gives: nodes of that graph, from which such edges can lead. */
static bool are_heads_of(CUgraph graph, const struct sim_edges *heads)
{
	size_t i;

	if (heads->count && !heads->nodes)
		return false;
	for (i = 0; i < heads->count; i++)
		if (!sim_handle_is(heads->nodes[i], SIM_KIND_NODE) ||
		    heads->nodes[i]->graph != graph ||
		    (heads->data && !sim_edge_is_possible_from(heads->nodes[i], &heads->data[i])))
			return false;
	return true;
}

CUresult sim_cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph,
					 const CUgraphNode *dependencies,
					 const CUgraphEdgeData *dependencyData,
					 size_t numDependencies, CUstreamCaptureMode mode)
{
	const struct sim_edges heads = {(CUgraphNode *)dependencies,
					(CUgraphEdgeData *)dependencyData, numDependencies};

	if (!sim_handle_is(hGraph, SIM_KIND_GRAPH) || !are_heads_of(hGraph, &heads))
		return CUDA_ERROR_INVALID_VALUE;
	return begin(hStream, mode, hGraph, &heads);
}

/* What the graph holds of the program's it gives back first. */
CUresult sim_cuStreamBeginRecaptureToGraph(CUstream hStream, CUstreamCaptureMode mode,
					   CUgraph hGraph, CUgraphRecaptureCallback callbackFunc,
					   void *userData)
{
	CUstream stream;
	CUresult result;

	if (!sim_handle_is(hGraph, SIM_KIND_GRAPH) || hGraph->is_child)
		return CUDA_ERROR_INVALID_VALUE;
	result = begin(hStream, mode, hGraph, &(struct sim_edges){0});
	if (result == CUDA_SUCCESS)
		result = sim_stream_get(hStream, &stream);
	if (result != CUDA_SUCCESS)
		return result;
	stream->capture->recapture =
		(struct sim_recapture){.is_on = true, .function = callbackFunc, .data = userData};
	sim_user_references_drop(&hGraph->objects);
	return CUDA_SUCCESS;
}

static CUresult end_result(const struct sim_capture *capture)
{
	if (capture->broken != CUDA_SUCCESS)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	if (capture->recapture.is_on && !sim_recapture_is_complete(capture))
		return CUDA_ERROR_GRAPH_RECAPTURE_FAILURE;
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
	if (phGraph)
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
	if (result == CUDA_SUCCESS && phGraph) {
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
			 CUgraph *graph, const CUgraphNode **nodes, const CUgraphEdgeData **data,
			 size_t *count)
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
	if (is_active && nodes && !data &&
	    !sim_edges_are_plain(stream->heads.data, stream->heads.count))
		return CUDA_ERROR_LOSSY_QUERY;
	if (id && is_active)
		*id = stream->capture->id;
	if (graph && is_active)
		*graph = stream->capture->graph;
	if (nodes && is_active)
		*nodes = stream->heads.nodes;
	if (data && is_active)
		*data = stream->heads.data;
	if (count && is_active)
		*count = stream->heads.count;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
				    cuuint64_t *id_out)
{
	return get_info(hStream, captureStatus_out, id_out, NULL, NULL, NULL, NULL);
}

CUresult sim_cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
				       cuuint64_t *id_out, CUgraph *graph_out,
				       const CUgraphNode **dependencies_out,
				       size_t *numDependencies_out)
{
	return get_info(hStream, captureStatus_out, id_out, graph_out, dependencies_out, NULL,
			numDependencies_out);
}

CUresult sim_cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
				       cuuint64_t *id_out, CUgraph *graph_out,
				       const CUgraphNode **dependencies_out,
				       const CUgraphEdgeData **edgeData_out,
				       size_t *numDependencies_out)
{
	if (edgeData_out && !dependencies_out)
		return CUDA_ERROR_INVALID_VALUE;
	return get_info(hStream, captureStatus_out, id_out, graph_out, dependencies_out,
			edgeData_out, numDependencies_out);
}

CUresult sim_cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
						  const CUgraphEdgeData *dependencyData,
						  size_t numDependencies, unsigned int flags)
{
	const struct sim_edges heads = {dependencies, (CUgraphEdgeData *)dependencyData,
					numDependencies};
	CUstream stream;
	CUresult result = sim_stream_get_for_work(hStream, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (!stream->capture)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES ||
	    !are_heads_of(stream->capture->graph, &heads))
		return CUDA_ERROR_INVALID_VALUE;
	if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
		return sim_capture_set_heads(stream, &heads);
	return sim_capture_add_heads(stream, &heads);
}

CUresult sim_cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies,
					       size_t numDependencies, unsigned int flags)
{
	return sim_cuStreamUpdateCaptureDependencies_v2(hStream, dependencies, NULL,
							numDependencies, flags);
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
