/* What the functions of the API that make nodes share. */
#ifndef SIM_NODE_API_H
#define SIM_NODE_API_H

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

#endif
