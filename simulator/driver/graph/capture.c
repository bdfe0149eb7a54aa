/* The state of captures: who is in one, what its next node depends on, what breaks it. */
#include "simulator/driver/graph/capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/stream/stream.h"
#include "simulator/driver/context/thread.h"

static struct sim_capture *captures; /* owned by their streams; linked by `next` */

void sim_capture_put(struct sim_capture *capture)
{
	struct sim_capture **link = &captures;

	sc_assert(capture->refs > 0);
	if (--capture->refs)
		return;
	while (*link && *link != capture)
		link = &(*link)->next;
	if (*link)
		*link = capture->next;
	if (capture->graph && !capture->is_foreign)
		sim_graph_free(capture->graph);
	free(capture);
}

struct sim_capture *sim_capture_new(CUstream origin, CUstreamCaptureMode mode, CUgraph graph)
{
	struct sim_capture *capture = calloc(1, sizeof(*capture));

	if (!capture)
		return NULL;
	capture->refs = 1;
	capture->id = sim_next_id();
	capture->graph = graph ? graph : sim_graph_new();
	capture->is_foreign = graph != NULL;
	capture->origin = origin;
	capture->mode = mode;
	capture->thread = sim_thread_self()->id;
	if (!capture->graph) {
		free(capture);
		return NULL;
	}
	capture->next = captures;
	captures = capture;
	return capture;
}

static void break_capture(struct sim_capture *capture, CUresult error)
{
	if (capture->broken == CUDA_SUCCESS)
		capture->broken = error;
}

CUresult sim_capture_break(CUstream stream, CUresult error)
{
	if (stream->capture)
		break_capture(stream->capture, error);
	return error;
}

static struct sim_capture *find(uint64_t id)
{
	struct sim_capture *capture;

	for (capture = captures; capture; capture = capture->next)
		if (capture->id == id)
			return capture;
	return NULL;
}

void sim_capture_break_id(uint64_t id, CUresult error)
{
	struct sim_capture *capture = find(id);

	if (capture)
		break_capture(capture, error);
}

/* Which captures forbid an unsafe call of this thread, by the thread's own mode (G-5). */
static bool forbids(const struct sim_capture *capture, const struct sim_thread *thread)
{
	if (thread->mode == CU_STREAM_CAPTURE_MODE_RELAXED)
		return false;
	if (capture->thread == thread->id)
		return capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
	return thread->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
	       capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

CUresult sim_capture_check_unsafe(void)
{
	const struct sim_thread *thread = sim_thread_self();
	CUresult result = CUDA_SUCCESS;
	struct sim_capture *capture;

	for (capture = captures; capture; capture = capture->next) {
		if (!forbids(capture, thread))
			continue;
		result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
		break_capture(capture, result);
	}
	return result;
}

/* A use of the legacy stream would depend on each capturing blocking stream. */
static CUresult check_legacy(CUstream legacy)
{
	CUresult result = CUDA_SUCCESS;
	CUstream stream;

	for (stream = legacy->context->streams; stream; stream = stream->next)
		if (stream->capture && sim_stream_is_blocking(stream))
			result = sim_capture_break(stream, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
	return result;
}

CUresult sim_capture_check_legacy(CUstream stream)
{
	CUstream other;

	if (!stream->is_legacy)
		return CUDA_SUCCESS;
	for (other = stream->context->streams; other; other = other->next)
		if (other->capture && sim_stream_is_blocking(other))
			return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
	return CUDA_SUCCESS;
}

CUresult sim_capture_check_work(CUstream stream)
{
	if (!captures)
		return CUDA_SUCCESS;
	if (stream->is_legacy)
		return check_legacy(stream);
	if (stream->capture && stream->capture->broken != CUDA_SUCCESS)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	return CUDA_SUCCESS;
}

CUresult sim_capture_check_wait(CUstream stream)
{
	CUresult result = sim_capture_check_work(stream);

	if (result == CUDA_SUCCESS && stream->capture)
		return sim_capture_break(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	return result;
}

CUresult sim_capture_check_context(CUcontext context)
{
	CUresult result = CUDA_SUCCESS;
	CUstream stream;

	for (stream = context->streams; captures && stream; stream = stream->next)
		if (stream->capture)
			result = sim_capture_break(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	return result;
}

CUresult sim_capture_set_heads(CUstream stream, const struct sim_edges *heads)
{
	stream->kernel_head = NULL;
	return sim_edges_set(&stream->heads, heads->nodes, heads->data, heads->count)
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_OUT_OF_MEMORY;
}

static bool add_head(struct sim_edges *heads, CUgraphNode node, const CUgraphEdgeData *data)
{
	size_t found = sim_edges_find(heads, node);

	if (found == heads->count)
		return sim_edges_add(heads, node, data);
	if (!data || sim_edge_is_plain(data))
		heads->data[found] = (CUgraphEdgeData){0};
	return true;
}

CUresult sim_capture_add_heads(CUstream stream, const struct sim_edges *heads)
{
	size_t i;

	for (i = 0; i < heads->count; i++)
		if (!add_head(&stream->heads, heads->nodes[i],
			      heads->data ? &heads->data[i] : NULL))
			return CUDA_ERROR_OUT_OF_MEMORY;
	return CUDA_SUCCESS;
}

void sim_capture_enter(CUstream stream, struct sim_capture *capture)
{
	capture->refs++;
	stream->capture = capture;
}

void sim_capture_leave(CUstream stream)
{
	struct sim_capture *capture = stream->capture;

	stream->capture = NULL;
	sim_edges_fini(&stream->heads);
	stream->kernel_head = NULL;
	sim_capture_put(capture);
}

/* Marks what comes before marked nodes until nothing changes; few passes, as nodes are in order. */
static void mark_before(CUgraph graph)
{
	bool changed = true;
	CUgraphNode node;
	size_t i, j;

	while (changed) {
		changed = false;
		for (i = graph->count; i-- > 0;) {
			node = graph->nodes[i];
			for (j = 0; node->index && j < node->before.count; j++) {
				changed |= !node->before.nodes[j]->index;
				node->before.nodes[j]->index = 1;
			}
		}
	}
}

static bool heads_are_marked(CUstream stream)
{
	size_t i;

	for (i = 0; i < stream->heads.count; i++)
		if (!stream->heads.nodes[i]->index)
			return false;
	return true;
}

void sim_capture_loosen(CUstream stream)
{
	size_t found = sim_edges_find(&stream->heads, stream->kernel_head);

	if (found < stream->heads.count)
		stream->heads.data[found] =
			(CUgraphEdgeData){.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
					  .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC};
}

bool sim_capture_is_joined(const struct sim_capture *capture)
{
	CUstream origin = capture->origin, stream;
	CUcontext context;
	size_t i;

	for (i = 0; i < capture->graph->count; i++)
		capture->graph->nodes[i]->index = 0;
	for (i = 0; origin && i < origin->heads.count; i++)
		origin->heads.nodes[i]->index = 1;
	mark_before(capture->graph);
	for (context = sim_context_first(); context; context = context->next)
		for (stream = context->streams; stream; stream = stream->next)
			if (stream->capture == capture && !heads_are_marked(stream))
				return false;
	return true;
}

void sim_capture_leave_all(struct sim_capture *capture)
{
	CUcontext context;
	CUstream stream;

	for (context = sim_context_first(); context; context = context->next)
		for (stream = context->streams; stream; stream = stream->next)
			if (stream->capture == capture)
				sim_capture_leave(stream);
}

void sim_capture_forget_stream(CUstream stream)
{
	if (!stream->capture)
		return;
	if (stream->capture->origin == stream)
		stream->capture->origin = NULL;
	sim_capture_leave(stream);
}

CUresult sim_capture_fork(CUstream stream, uint64_t id, const struct sim_edges *heads)
{
	struct sim_capture *capture = find(id);

	if (!capture)
		return CUDA_ERROR_INVALID_VALUE; /* the capture has ended: the event means nothing
						  */
	if (capture->broken != CUDA_SUCCESS)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	if (stream->is_legacy) {
		break_capture(capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
		return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
	}
	sim_capture_enter(stream, capture);
	return sim_capture_set_heads(stream, heads);
}

CUresult sim_capture_node(CUstream stream, CUgraphNodeType type, CUgraphNode *node)
{
	struct sim_capture *capture = stream->capture;
	CUresult result = CUDA_SUCCESS;

	if (capture->recapture.is_on)
		result = sim_recapture_expect(capture, type, &stream->heads);
	if (result == CUDA_SUCCESS)
		result = sim_node_new_behind(capture->graph, type, &stream->heads, node);
	if (result != CUDA_SUCCESS)
		return sim_capture_break(stream, result);
	(*node)->context = stream->context;
	if (capture->recapture.is_on)
		sim_recapture_take_out(*node);
	return CUDA_SUCCESS;
}

CUresult sim_capture_place(CUstream stream, CUgraphNode *node, CUresult result)
{
	struct sim_capture *capture = stream->capture;

	if (!capture->recapture.is_on)
		return result;
	if (result == CUDA_SUCCESS)
		result = sim_recapture_replace(capture, node);
	else
		sim_node_free(*node);
	if (result == CUDA_SUCCESS && stream->capture != capture) /* the program has ended it */
		result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	return result == CUDA_SUCCESS ? result : sim_capture_break(stream, result);
}

CUresult sim_capture_take(CUstream stream, CUgraphNode node, CUresult result)
{
	bool is_gone = stream->capture->recapture.is_on; /* the node, if this fails */
	CUresult error;

	result = sim_capture_place(stream, &node, result);
	if (result != CUDA_SUCCESS && is_gone)
		return result;
	error = sim_capture_set_heads(stream, &(struct sim_edges){.nodes = &node, .count = 1});
	if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
		stream->kernel_head = node;
	return result == CUDA_SUCCESS ? error : result;
}
