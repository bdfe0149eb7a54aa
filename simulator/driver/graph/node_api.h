/* What the functions share that make nodes and change what they do. */
#pragma once

#include <stdbool.h>

#include <cuda.h>

/* INVALID_VALUE unless this is a node of that type and there are parameters. */
CUresult sim_node_check(CUgraphNode node, CUgraphNodeType type, const void *params);

/* A new node without a payload. */
CUresult sim_node_add(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
		      CUgraphNodeType type, const void *params);

/* Passes the result of storing the payload on; a node whose payload was refused goes again. */
CUresult sim_node_end_add(CUgraphNode *node, CUresult result);

/* The node of an exec that stems from that node, of that type with parameters. */
CUresult sim_exec_find_node(CUgraphExec exec, CUgraphNode origin, CUgraphNodeType type,
			    const void *params, CUgraphNode *node);

/* Stores what a kernel was launched with besides its parameters. */
CUresult sim_node_set_attributes(CUgraphNode node, const CUlaunchAttribute *attrs,
				 unsigned int count);

/* Stores a batch of memory operations. */
CUresult sim_node_set_memops(CUgraphNode node, const CUstreamBatchMemOpParams *params,
			     unsigned int count);

/* node_batch.c: checks and stores a batch of copies, by value; on failure the node stays as it was.
 */
CUresult sim_node_set_copies(CUgraphNode node, const CUDA_MEMCPY_BATCH_NODE_PARAMS *params);
CUresult sim_node_set_fabric(CUgraphNode node, const CUDA_FABRIC_CPY_BATCH_NODE_PARAMS *params);
/* The same from another such node, with the host memory that it was given. */
CUresult sim_node_copy_batch(CUgraphNode to, CUgraphNode from);
void sim_node_free_batch(CUgraphNode node);
/* Does the node of an exec keep, with such parameters, all that cannot change (G-10)? */
bool sim_node_may_set_copies(CUgraphNode node, const CUDA_MEMCPY_BATCH_NODE_PARAMS *params);
bool sim_node_may_set_fabric(CUgraphNode node, const CUDA_FABRIC_CPY_BATCH_NODE_PARAMS *params);

/* The parameters in the general form; only the type where there is no such form here. */
void sim_node_get_params(CUgraphNode node, CUgraphNodeParams *params);

/* Could an exec take over what the new one of two nodes of a type does (G-10)? */
bool sim_node_is_updatable(CUgraphNode old, CUgraphNode new);

/* Do two sorted graphs have the same structure, those inside of them along? */
bool sim_graph_is_same(CUgraph a, CUgraph b);

/*
 * Takes over what the nodes of another graph do, if the structure is the same (cuGraphExecUpdate);
 * else GRAPH_EXEC_UPDATE_FAILURE, and `info` says where they differ.
 */
CUresult sim_graph_update(CUgraphExec exec, CUgraph to, CUgraph from,
			  CUgraphExecUpdateResultInfo *info);
