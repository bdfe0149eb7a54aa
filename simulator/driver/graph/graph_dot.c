/* Writes a graph as DOT (cuGraphDebugDotPrint): a cluster a graph, a box a node, an arrow an edge.
 *
 * A real driver promises no format. Programs look for the names of kernels, and show the file to
 * people; so kernels have their mangled names, and what the flags ask for follows in lines.
 */
#include <inttypes.h>
#include <stdio.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/graph/graph_memory.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/module/module.h"

struct drawing {
	FILE *file;
	unsigned int flags;
	unsigned int next; /* the number of the next cluster */
};

static const char *const type_names[] = {
	[CU_GRAPH_NODE_TYPE_KERNEL] = "KERNEL",
	[CU_GRAPH_NODE_TYPE_MEMCPY] = "MEMCPY",
	[CU_GRAPH_NODE_TYPE_MEMSET] = "MEMSET",
	[CU_GRAPH_NODE_TYPE_HOST] = "HOST",
	[CU_GRAPH_NODE_TYPE_GRAPH] = "GRAPH",
	[CU_GRAPH_NODE_TYPE_EMPTY] = "EMPTY",
	[CU_GRAPH_NODE_TYPE_WAIT_EVENT] = "EVENT_WAIT",
	[CU_GRAPH_NODE_TYPE_EVENT_RECORD] = "EVENT_RECORD",
	[CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL] = "EXT_SEMAS_SIGNAL",
	[CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT] = "EXT_SEMAS_WAIT",
	[CU_GRAPH_NODE_TYPE_MEM_ALLOC] = "MEM_ALLOC",
	[CU_GRAPH_NODE_TYPE_MEM_FREE] = "MEM_FREE",
	[CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = "BATCH_MEM_OP",
	[CU_GRAPH_NODE_TYPE_CONDITIONAL] = "CONDITIONAL",
	[CU_GRAPH_NODE_TYPE_MEMCPY_BATCH] = "MEMCPY_BATCH",
	[CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH] = "FABRIC_CPY_BATCH",
};

/* The function of a kernel node, which may be a kernel of a library. */
static const char *kernel_name(const CUDA_KERNEL_NODE_PARAMS *params)
{
	CUfunction function = params->func ? params->func : (CUfunction)params->kern;
	const struct sim_image_kernel *image = sim_function_image(function);

	return image ? image->name : "KERNEL";
}

static bool shows(const struct drawing *d, unsigned int flag)
{
	return d->flags & (flag | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE);
}

static void put_kernel(const struct drawing *d, const CUDA_KERNEL_NODE_PARAMS *params)
{
	if (shows(d, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS))
		fprintf(d->file, "\\ngrid %u,%u,%u block %u,%u,%u shared %u bytes",
			params->gridDimX, params->gridDimY, params->gridDimZ, params->blockDimX,
			params->blockDimY, params->blockDimZ, params->sharedMemBytes);
}

/* An array is no address: it is shown as its handle. */
static uintptr_t place_of(const struct sim_side *side)
{
	return side->array ? (uintptr_t)side->array : side->address;
}

static void put_copy(const struct drawing *d, const struct sim_copy_spec *copy, unsigned int flag)
{
	if (shows(d, flag))
		fprintf(d->file, "\\nfrom %#" PRIxPTR " to %#" PRIxPTR " %zux%zux%zu bytes",
			place_of(&copy->src), place_of(&copy->dst), copy->width_bytes, copy->height,
			copy->depth);
}

static void put_batch(const struct drawing *d, const struct sim_node_batch *batch,
		      unsigned int flag)
{
	size_t i;

	for (i = 0; i < batch->count; i++)
		put_copy(d, &batch->specs[i], flag);
}

static void put_fill(const struct drawing *d, const struct sim_fill_spec *fill)
{
	if (shows(d, CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS))
		fprintf(d->file, "\\nat %#llx value %#x %zux%zu elements of %u bytes", fill->dst,
			fill->value, fill->width, fill->height, fill->element_bytes);
}

static void put_memory(const struct drawing *d, CUgraphNode node)
{
	unsigned int flag = node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC
				    ? CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS
				    : CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS;

	if (shows(d, flag))
		fprintf(d->file, "\\nat %#" PRIxPTR " %zu bytes", node->memory->base,
			node->memory->size_bytes);
}

static void put_parameters(const struct drawing *d, CUgraphNode node)
{
	switch ((int)node->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL: put_kernel(d, &node->kernel.params); break;
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		put_copy(d, &node->copy, CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS);
		break;
	case CU_GRAPH_NODE_TYPE_MEMCPY_BATCH:
		put_batch(d, &node->batch, CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_BATCH_NODE_PARAMS);
		break;
	case CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH:
		put_batch(d, &node->batch, CU_GRAPH_DEBUG_DOT_FLAGS_FABRIC_CPY_BATCH_NODE_PARAMS);
		break;
	case CU_GRAPH_NODE_TYPE_MEMSET: put_fill(d, &node->fill); break;
	case CU_GRAPH_NODE_TYPE_HOST:
		if (shows(d, CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS))
			fprintf(d->file, "\\nfunction %#" PRIxPTR " data %p",
				(uintptr_t)node->host.fn, node->host.userData);
		break;
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		if (shows(d, CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS))
			fprintf(d->file, "\\nevent %p", (void *)node->event);
		break;
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
	case CU_GRAPH_NODE_TYPE_MEM_FREE: put_memory(d, node); break;
	}
}

static void put_node(const struct drawing *d, unsigned int cluster, CUgraphNode node)
{
	const char *name = node->type == CU_GRAPH_NODE_TYPE_KERNEL
				   ? kernel_name(&node->kernel.params)
				   : type_names[node->type];

	fprintf(d->file, "\"graph_%u_node_%zu\" [shape=\"box\" label=\"%zu\\n%s", cluster,
		node->index, node->index, name);
	if (d->flags & CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES)
		fprintf(d->file, "\\nhandle %p", (void *)node);
	put_parameters(d, node);
	fprintf(d->file, "\"];\n");
}

static void put_edges(const struct drawing *d, unsigned int cluster, CUgraphNode node)
{
	for (size_t i = 0; i < node->before.count; i++)
		fprintf(d->file, "\"graph_%u_node_%zu\" -> \"graph_%u_node_%zu\";\n", cluster,
			node->before.nodes[i]->index, cluster, node->index);
}

/* A graph inside of a node is a cluster inside of the node's graph. */
static void put_graph(struct drawing *d, CUgraph graph)
{
	unsigned int cluster = d->next++;
	CUgraph inner;
	size_t i, j;

	fprintf(d->file, "subgraph cluster_%u {\nlabel=\"graph_%u\" graph [style=\"dashed\"];\n",
		cluster, cluster);
	for (i = 0; i < graph->count; i++)
		graph->nodes[i]->index = i;
	for (i = 0; i < graph->count; i++)
		put_node(d, cluster, graph->nodes[i]);
	for (i = 0; i < graph->count; i++)
		put_edges(d, cluster, graph->nodes[i]);
	for (i = 0; i < graph->count; i++)
		for (j = 0; (inner = sim_node_inner(graph->nodes[i], j)); j++)
			put_graph(d, inner);
	fprintf(d->file, "}\n");
}

CUresult sim_cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags)
{
	struct drawing d = {.flags = flags, .next = 1};
	bool is_written;

	if (!sim_handle_is(hGraph, SIM_KIND_GRAPH) || !path)
		return CUDA_ERROR_INVALID_VALUE;
	d.file = fopen(path, "we");
	if (!d.file)
		return CUDA_ERROR_OPERATING_SYSTEM;
	fprintf(d.file, "digraph dot {\n");
	put_graph(&d, hGraph);
	fprintf(d.file, "}\n");
	is_written = !ferror(d.file);
	is_written &= !fclose(d.file);
	return is_written ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}
