/* Work that is captured instead of run: a node after the stream's heads (rule G-2). */
#include "simulator/driver/graph/graph_capture.h"

#include <stdlib.h>

#include "simulator/driver/graph/capture.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/graph/graph_memory.h"
#include "simulator/driver/graph/node_api.h"
#include "simulator/driver/stream/stream.h"

CUresult sim_graph_capture_kernel(CUstream stream, const CUDA_KERNEL_NODE_PARAMS *params)
{
	CUgraphNode node;
	CUresult result = sim_capture_node(stream, CU_GRAPH_NODE_TYPE_KERNEL, &node);

	if (result != CUDA_SUCCESS)
		return result;
	return sim_capture_take(stream, node, sim_node_set_kernel(node, params));
}

static bool is_freed(const struct sim_side *side, CUgraph graph)
{
	const struct sim_graph_memory *memory = sim_graph_memory_around(side->address);

	return memory && memory->freed_by == graph;
}

/* A real driver refuses to copy memory that the capture freed before; a kernel may be given it. */
CUresult sim_graph_capture_copy(CUstream stream, const struct sim_copy_spec *spec)
{
	CUgraph graph = stream->capture->graph;
	CUgraphNode node;
	CUresult result;

	if (!stream->capture->recapture.is_on && /* there the nodes that free come later, too */
	    (is_freed(&spec->src, graph) || is_freed(&spec->dst, graph)))
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_capture_node(stream, CU_GRAPH_NODE_TYPE_MEMCPY, &node);
	if (result != CUDA_SUCCESS)
		return result;
	node->copy = *spec;
	sim_copy_keep_locked(&node->copy);
	return sim_capture_take(stream, node, CUDA_SUCCESS);
}

CUresult sim_graph_capture_fill(CUstream stream, const struct sim_fill_spec *spec)
{
	CUgraphNode node;
	CUresult result = sim_capture_node(stream, CU_GRAPH_NODE_TYPE_MEMSET, &node);

	if (result != CUDA_SUCCESS)
		return result;
	node->fill = *spec;
	return sim_capture_take(stream, node, CUDA_SUCCESS);
}

CUresult sim_graph_capture_host(CUstream stream, CUhostFn fn, void *data)
{
	CUgraphNode node;
	CUresult result = sim_capture_node(stream, CU_GRAPH_NODE_TYPE_HOST, &node);

	if (result != CUDA_SUCCESS)
		return result;
	node->host = (CUDA_HOST_NODE_PARAMS){fn, data};
	return sim_capture_take(stream, node, CUDA_SUCCESS);
}

CUresult sim_graph_capture_event(CUstream stream, CUgraphNodeType type, CUevent event)
{
	CUgraphNode node;
	CUresult result = sim_capture_node(stream, type, &node);

	if (result != CUDA_SUCCESS)
		return result;
	node->event = event;
	return sim_capture_take(stream, node, CUDA_SUCCESS);
}

/* A graph launched into a capturing stream is captured as a child of its own copy. */
CUresult sim_graph_capture_child(CUstream stream, CUgraph graph)
{
	CUgraph copy;
	CUgraphNode node;
	CUresult result;

	if (sim_graph_has_memory(graph))
		return sim_capture_break(stream, CUDA_ERROR_NOT_SUPPORTED);
	copy = sim_graph_copy(graph);
	if (!copy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	copy->is_child = true;
	result = sim_capture_node(stream, CU_GRAPH_NODE_TYPE_GRAPH, &node);
	if (result != CUDA_SUCCESS) {
		sim_graph_free(copy);
		return result;
	}
	node->child = copy;
	return sim_capture_take(stream, node, CUDA_SUCCESS);
}

CUresult sim_graph_capture_memops(CUstream stream, const CUstreamBatchMemOpParams *params,
				  unsigned int count)
{
	CUgraphNode node;
	CUresult result = sim_capture_node(stream, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, &node);

	if (result != CUDA_SUCCESS)
		return result;
	return sim_capture_take(stream, node, sim_node_set_memops(node, params, count));
}

CUresult sim_graph_capture_semaphores(CUstream stream, const struct sim_semaphores *all,
				      bool is_wait)
{
	CUgraphNode node;
	CUresult result = sim_capture_node(stream,
					   is_wait ? CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT
						   : CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
					   &node);

	if (result != CUDA_SUCCESS)
		return result;
	return sim_capture_take(stream, node, sim_semaphores_copy(&node->semaphores, all));
}

/* G-13: the address is known now, the memory is there at each launch; recaptured, it is the same.
 */
CUresult sim_graph_capture_alloc(CUstream stream, struct sim_device *device, size_t size_bytes,
				 CUdeviceptr *address)
{
	CUgraphNode node;
	CUresult result = sim_capture_node(stream, CU_GRAPH_NODE_TYPE_MEM_ALLOC, &node);

	if (result != CUDA_SUCCESS)
		return result;
	if (stream->capture->recapture.is_on) {
		node->memory = sim_graph_memory_again(sim_recapture_next(stream->capture)->memory,
						      device, size_bytes);
		result = node->memory ? result : CUDA_ERROR_GRAPH_RECAPTURE_FAILURE;
	} else if (!sim_graph_memory_give(node, device, SIM_PLACE_DEVICE, size_bytes)) {
		return sim_capture_break(stream, CUDA_ERROR_OUT_OF_MEMORY);
	}
	if (result == CUDA_SUCCESS)
		*address = node->memory->base;
	return sim_capture_take(stream, node, result);
}

static CUresult free_again(CUstream stream, struct sim_graph_memory *memory)
{
	CUgraphNode node;
	CUresult result = sim_capture_node(stream, CU_GRAPH_NODE_TYPE_MEM_FREE, &node);

	if (result != CUDA_SUCCESS)
		return result;
	node->memory = sim_graph_memory_get(memory);
	return sim_capture_take(stream, node, CUDA_SUCCESS);
}

CUresult sim_graph_capture_free(CUstream stream, CUdeviceptr address)
{
	struct sim_graph_memory *memory = sim_graph_memory_find(address);
	CUgraphNode node;
	CUresult result;

	if (!memory) /* the capture goes on, as an H200's driver answers */
		return CUDA_ERROR_INVALID_VALUE;
	if (stream->capture->recapture.is_on)
		return free_again(stream, memory);
	result = sim_graph_memory_check_free(memory, stream->capture->graph);
	if (result != CUDA_SUCCESS)
		return sim_capture_break(stream, result);
	result = sim_capture_node(stream, CU_GRAPH_NODE_TYPE_MEM_FREE, &node);
	if (result != CUDA_SUCCESS)
		return result;
	sim_graph_memory_take_free(node, memory);
	return sim_capture_take(stream, node, CUDA_SUCCESS);
}

/* A driver of 13.1 makes one node of such a batch. */
CUresult sim_graph_capture_copies(CUstream stream, const CUDA_MEMCPY_BATCH_NODE_PARAMS *params)
{
	CUgraphNode node;
	CUresult result = sim_capture_node(stream, CU_GRAPH_NODE_TYPE_MEMCPY_BATCH, &node);

	if (result != CUDA_SUCCESS)
		return result;
	return sim_capture_take(stream, node, sim_node_set_copies(node, params));
}

CUresult sim_graph_capture_fabric(CUstream stream, const CUDA_FABRIC_CPY_BATCH_NODE_PARAMS *params)
{
	CUgraphNode node;
	CUresult result = sim_capture_node(stream, CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH, &node);

	if (result != CUDA_SUCCESS)
		return result;
	return sim_capture_take(stream, node, sim_node_set_fabric(node, params));
}

/* A batch of boxes is a row of nodes without an order among them; later work follows all
 * (section 4.6). */
CUresult sim_graph_capture_batch(CUstream stream, const struct sim_copy_spec *specs, size_t count)
{
	CUgraphNode *nodes = calloc(count, sizeof(CUgraphNode));
	CUresult result = CUDA_SUCCESS;
	size_t i;

	if (!nodes)
		return sim_capture_break(stream, CUDA_ERROR_OUT_OF_MEMORY);
	for (i = 0; i < count && result == CUDA_SUCCESS; i++) {
		result = sim_capture_node(stream, CU_GRAPH_NODE_TYPE_MEMCPY, &nodes[i]);
		if (result != CUDA_SUCCESS)
			break;
		nodes[i]->copy = specs[i];
		sim_copy_keep_locked(&nodes[i]->copy);
		result = sim_capture_place(stream, &nodes[i], CUDA_SUCCESS);
	}
	if (result == CUDA_SUCCESS)
		result = sim_capture_set_heads(stream,
					       &(struct sim_edges){.nodes = nodes, .count = count});
	free(nodes);
	return result == CUDA_SUCCESS ? result : sim_capture_break(stream, result);
}
