/*
 * Graph nodes whose parameters differ between the runtime and the driver: kernels, copies and
 * the general form. All other graph calls go straight to the driver.
 */
#pragma once

#include "simulator/runtime/driver.h"

/* Where a new node goes. */
struct rt_node {
	cudaGraphNode_t *node; /* receives the node */
	cudaGraph_t graph;
	const cudaGraphNode_t *dependencies;
	size_t count;
};

#define RT_NODE(node, graph, dependencies, count) \
	(&(const struct rt_node){node, graph, dependencies, count})

/* A linear copy; one side may be a registered variable and an offset in it. */
struct rt_linear {
	const void *to, *from;
	size_t offset, bytes;
	enum cudaMemcpyKind kind;
	enum { RT_NO_SYMBOL, RT_SYMBOL_TO, RT_SYMBOL_FROM } symbol;
};

#define RT_LINEAR(to, from, bytes, kind) \
	(&(const struct rt_linear){to, from, 0, bytes, kind, RT_NO_SYMBOL})
#define RT_TO_SYMBOL(symbol, offset, from, bytes, kind) \
	(&(const struct rt_linear){symbol, from, offset, bytes, kind, RT_SYMBOL_TO})
#define RT_FROM_SYMBOL(to, symbol, offset, bytes, kind) \
	(&(const struct rt_linear){to, symbol, offset, bytes, kind, RT_SYMBOL_FROM})

/* The context that copies and fills of a graph run in: the current one. */
CUcontext rt_graph_context(const struct rt_calls *cu);

CUresult rt_graph_add_kernel(const struct rt_calls *cu, const struct rt_node *at,
			     const struct cudaKernelNodeParams *wanted);
CUresult rt_graph_kernel_get(const struct rt_calls *cu, cudaGraphNode_t node,
			     struct cudaKernelNodeParams *found);
CUresult rt_graph_kernel_set(const struct rt_calls *cu, cudaGraphNode_t node,
			     const struct cudaKernelNodeParams *wanted);
CUresult rt_graph_exec_kernel_set(const struct rt_calls *cu, cudaGraphExec_t exec,
				  cudaGraphNode_t node, const struct cudaKernelNodeParams *wanted);

/* Setters change the node of the graph, or of the executable graph if exec is not NULL. */
CUresult rt_graph_add_copy(const struct rt_calls *cu, const struct rt_node *at,
			   const struct cudaMemcpy3DParms *copy);
CUresult rt_graph_copy_get(const struct rt_calls *cu, cudaGraphNode_t node,
			   struct cudaMemcpy3DParms *copy);
CUresult rt_graph_copy_set(const struct rt_calls *cu, cudaGraphExec_t exec, cudaGraphNode_t node,
			   const struct cudaMemcpy3DParms *copy);
CUresult rt_graph_add_linear(const struct rt_calls *cu, const struct rt_node *at,
			     const struct rt_linear *copy);
CUresult rt_graph_linear_set(const struct rt_calls *cu, cudaGraphExec_t exec, cudaGraphNode_t node,
			     const struct rt_linear *copy);

CUresult rt_graph_add_fill(const struct rt_calls *cu, const struct rt_node *at,
			   const struct cudaMemsetParams *fill);

CUresult rt_graph_add_node(const struct rt_calls *cu, const struct rt_node *at,
			   const cudaGraphEdgeData *edges, struct cudaGraphNodeParams *wanted);
CUresult rt_graph_node_set(const struct rt_calls *cu, cudaGraphExec_t exec, cudaGraphNode_t node,
			   struct cudaGraphNodeParams *wanted);
CUresult rt_graph_node_get(const struct rt_calls *cu, cudaGraphNode_t node,
			   struct cudaGraphNodeParams *found);

/* Recapture into a graph; `program` may be NULL, and is read during the call. */
CUresult rt_graph_recapture(const struct rt_calls *cu, cudaStream_t stream,
			    enum cudaStreamCaptureMode mode, cudaGraph_t graph,
			    const struct cudaGraphRecaptureCallbackData *program);
