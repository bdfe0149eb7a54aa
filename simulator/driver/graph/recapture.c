/* Recapture: comparing captured work with the node whose place it takes, and replacing that (rule
 * G-16). */
#include <string.h>

#include "simulator/driver/driver.h"
#include "simulator/driver/graph/capture.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/graph/node_api.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/kernel/launch.h"
#include "simulator/driver/module/module.h"

CUgraphNode sim_recapture_next(const struct sim_capture *capture)
{
	return capture->graph->nodes[capture->recapture.done];
}

static bool has_same_edges(const struct sim_edges *a, const struct sim_edges *b)
{
	size_t i, found;

	if (a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++) {
		const CUgraphEdgeData plain = {0}, *data = a->data ? &a->data[i] : &plain;

		found = sim_edges_find(b, a->nodes[i]);
		if (found == b->count || !sim_edge_is_equal(data, &b->data[found]))
			return false;
	}
	return true;
}

bool sim_recapture_is_complete(const struct sim_capture *capture)
{
	return capture->recapture.done == capture->graph->count;
}

CUresult sim_recapture_expect(const struct sim_capture *capture, CUgraphNodeType type,
			      const struct sim_edges *before)
{
	if (sim_recapture_is_complete(capture) || sim_recapture_next(capture)->type != type ||
	    !has_same_edges(before, &sim_recapture_next(capture)->before))
		return CUDA_ERROR_GRAPH_RECAPTURE_FAILURE;
	return CUDA_SUCCESS;
}

void sim_recapture_take_out(CUgraphNode node)
{
	node->graph->count--;
	node->graph->next_local_id--;
}

/* ---- what two nodes do ---- */

static CUfunction function_of(const CUDA_KERNEL_NODE_PARAMS *params)
{
	return params->func ? params->func : (CUfunction)params->kern;
}

static bool is_same_grid(const CUDA_KERNEL_NODE_PARAMS *a, const CUDA_KERNEL_NODE_PARAMS *b)
{
	return a->gridDimX == b->gridDimX && a->gridDimY == b->gridDimY &&
	       a->gridDimZ == b->gridDimZ && a->blockDimX == b->blockDimX &&
	       a->blockDimY == b->blockDimY && a->blockDimZ == b->blockDimZ &&
	       a->sharedMemBytes == b->sharedMemBytes;
}

static bool is_same_kernel(CUgraphNode a, CUgraphNode b)
{
	const struct sim_image_kernel *image = sim_function_image(function_of(&a->kernel.params));
	size_t pointers = (image->param_count + 1) * sizeof(void *);

	return function_of(&a->kernel.params) == function_of(&b->kernel.params) &&
	       is_same_grid(&a->kernel.params, &b->kernel.params) &&
	       !memcmp((char *)a->kernel.values + pointers, (char *)b->kernel.values + pointers,
		       sim_launch_params_bytes(image, NULL));
}

static bool is_same_side(const struct sim_side *a, const struct sim_side *b)
{
	return a->address == b->address && a->array == b->array && a->x_bytes == b->x_bytes &&
	       a->y == b->y && a->z == b->z && a->pitch_bytes == b->pitch_bytes &&
	       a->height == b->height && a->context == b->context;
}

static bool is_same_copy(const struct sim_copy_spec *a, const struct sim_copy_spec *b)
{
	return is_same_side(&a->dst, &b->dst) && is_same_side(&a->src, &b->src) &&
	       a->width_bytes == b->width_bytes && a->height == b->height && a->depth == b->depth;
}

static bool is_same_fill(const struct sim_fill_spec *a, const struct sim_fill_spec *b)
{
	return a->dst == b->dst && a->pitch_bytes == b->pitch_bytes && a->value == b->value &&
	       a->element_bytes == b->element_bytes && a->width == b->width &&
	       a->height == b->height;
}

static bool is_same_semaphores(const struct sim_semaphores *a, const struct sim_semaphores *b)
{
	return a->count == b->count && !memcmp(a->list, b->list, a->count * sizeof(*a->list)) &&
	       !memcmp(a->values, b->values, a->count * sizeof(*a->values));
}

static bool is_same_batch(const struct sim_node_batch *a, const struct sim_node_batch *b)
{
	size_t i;

	for (i = 0; i < a->count && a->count == b->count; i++)
		if (!is_same_copy(&a->specs[i], &b->specs[i]))
			return false;
	return a->count == b->count;
}

/* Nodes of one type. A graph that is launched into the stream again is a new copy each time. */
static bool is_same_work(CUgraphNode a, CUgraphNode b)
{
	if (a->context != b->context)
		return false;
	switch ((int)a->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL: return is_same_kernel(a, b);
	case CU_GRAPH_NODE_TYPE_MEMCPY: return is_same_copy(&a->copy, &b->copy);
	case CU_GRAPH_NODE_TYPE_MEMSET: return is_same_fill(&a->fill, &b->fill);
	case CU_GRAPH_NODE_TYPE_HOST:
		return a->host.fn == b->host.fn && a->host.userData == b->host.userData;
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return a->event == b->event;
	case CU_GRAPH_NODE_TYPE_MEMCPY_BATCH:
	case CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH: return is_same_batch(&a->batch, &b->batch);
	case CU_GRAPH_NODE_TYPE_GRAPH: return false;
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		return a->memops.count == b->memops.count &&
		       !memcmp(a->memops.params, b->memops.params,
			       a->memops.count * sizeof(*a->memops.params));
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
		return is_same_semaphores(&a->semaphores, &b->semaphores);
	}
	return true;
}

/* Work that may not differ, and graphs inside that are built otherwise. */
static bool is_possible(CUgraphNode old, CUgraphNode new)
{
	if (old->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || old->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
		return old->memory == new->memory;
	return old->type != CU_GRAPH_NODE_TYPE_GRAPH || sim_graph_is_same(old->child, new->child);
}

/* ---- replacing ---- */

/* The program's answer. It may make calls of CUDA, and waits for none of ours. */
static CUresult ask(const struct sim_capture *capture, CUgraphNode old, CUgraphNode new)
{
	const struct sim_recapture again = capture->recapture;
	CUgraphRecaptureStatus status = sim_node_is_updatable(old, new)
						? CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE
						: CU_GRAPH_RECAPTURE_INELIGIBLE_FOR_UPDATE;
	CUgraphNodeParams before, after;
	CUresult result;

	if (!again.function)
		return CUDA_SUCCESS;
	sim_node_get_params(old, &before);
	sim_node_get_params(new, &after);
	sim_unlock();
	result = again.function(again.data, old, &before, &after, status);
	sim_lock();
	return result;
}

CUresult sim_recapture_replace(struct sim_capture *capture, CUgraphNode *node)
{
	CUgraphNode old = sim_recapture_next(capture), new = *node;
	CUresult result = CUDA_ERROR_GRAPH_RECAPTURE_FAILURE;

	*node = old;
	capture->refs++; /* the function may end it */
	if (is_possible(old, new) &&
	    (is_same_work(old, new) || ask(capture, old, new) == CUDA_SUCCESS) &&
	    sim_handle_is(old, SIM_KIND_NODE))
		result = sim_node_copy_payload(old, new);
	sim_node_free(new);
	if (result == CUDA_SUCCESS)
		capture->recapture.done++;
	sim_capture_put(capture);
	return result;
}
