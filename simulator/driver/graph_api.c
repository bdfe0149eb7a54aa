/* The graph functions of the API that are about structure. */
#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph.h"
#include "simulator/driver/handle.h"

static bool is_graph(CUgraph graph)
{
	return sim_handle_is(graph, SIM_KIND_GRAPH);
}

static bool is_node(CUgraphNode node)
{
	return sim_handle_is(node, SIM_KIND_NODE);
}

bool sim_edges_are_plain(const CUgraphEdgeData *edges, size_t count)
{
	static const CUgraphEdgeData plain;
	size_t i;

	for (i = 0; edges && i < count; i++)
		if (memcmp(&edges[i], &plain, sizeof(plain)) != 0)
			return false;
	return true;
}

CUresult sim_cuGraphCreate(CUgraph *phGraph, unsigned int flags)
{
	if (!phGraph || flags)
		return CUDA_ERROR_INVALID_VALUE;
	*phGraph = sim_graph_new();
	return *phGraph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuGraphDestroy(CUgraph hGraph)
{
	if (!is_graph(hGraph) || hGraph->is_child)
		return CUDA_ERROR_INVALID_VALUE;
	sim_graph_free(hGraph);
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph)
{
	if (!phGraphClone || !is_graph(originalGraph))
		return CUDA_ERROR_INVALID_VALUE;
	if (sim_graph_is_fixed(originalGraph))
		return CUDA_ERROR_NOT_SUPPORTED;
	*phGraphClone = sim_graph_copy(originalGraph);
	return *phGraphClone ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode,
				    CUgraph hClonedGraph)
{
	size_t i;

	if (!phNode || !is_node(hOriginalNode) || !is_graph(hClonedGraph))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < hClonedGraph->count; i++)
		if (hClonedGraph->nodes[i]->origin == hOriginalNode) {
			*phNode = hClonedGraph->nodes[i];
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type)
{
	if (!is_node(hNode) || !type)
		return CUDA_ERROR_INVALID_VALUE;
	*type = hNode->type;
	return CUDA_SUCCESS;
}

/*
 * The convention of all list getters: with a NULL list the number is written, else at most *count
 * entries are, and *count becomes how many there were; the rest of the list is filled with NULL.
 */
struct listing {
	CUgraphNode *nodes;
	CUgraphNode *others; /* edges: the second list, else NULL */
	size_t room;
	size_t found;
};

static void list(struct listing *listing, CUgraphNode node, CUgraphNode other)
{
	if (listing->nodes && listing->found < listing->room) {
		listing->nodes[listing->found] = node;
		if (listing->others)
			listing->others[listing->found] = other;
	}
	listing->found++;
}

static void end_listing(struct listing *listing, size_t *count)
{
	size_t i;

	if (!listing->nodes) {
		*count = listing->found;
		return;
	}
	for (i = listing->found; i < listing->room; i++) {
		listing->nodes[i] = NULL;
		if (listing->others)
			listing->others[i] = NULL;
	}
	*count = listing->found < listing->room ? listing->found : listing->room;
}

CUresult sim_cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes)
{
	struct listing listing = {.nodes = nodes, .room = numNodes ? *numNodes : 0};
	size_t i;

	if (!is_graph(hGraph) || !numNodes)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < hGraph->count; i++)
		list(&listing, hGraph->nodes[i], NULL);
	end_listing(&listing, numNodes);
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes)
{
	struct listing listing = {.nodes = rootNodes, .room = numRootNodes ? *numRootNodes : 0};
	size_t i;

	if (!is_graph(hGraph) || !numRootNodes)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < hGraph->count; i++)
		if (!hGraph->nodes[i]->before_count)
			list(&listing, hGraph->nodes[i], NULL);
	end_listing(&listing, numRootNodes);
	return CUDA_SUCCESS;
}

static void clear_edges(CUgraphEdgeData *edges, const size_t *count)
{
	if (edges)
		memset(edges, 0, *count * sizeof(*edges));
}

CUresult sim_cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
				CUgraphEdgeData *edgeData, size_t *numEdges)
{
	struct listing listing = {.nodes = from, .others = to, .room = numEdges ? *numEdges : 0};
	size_t i, j;

	if (!is_graph(hGraph) || !numEdges || !from != !to)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < hGraph->count; i++)
		for (j = 0; j < hGraph->nodes[i]->before_count; j++)
			list(&listing, hGraph->nodes[i]->before[j], hGraph->nodes[i]);
	end_listing(&listing, numEdges);
	if (from)
		clear_edges(edgeData, numEdges);
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges)
{
	return sim_cuGraphGetEdges_v2(hGraph, from, to, NULL, numEdges);
}

CUresult sim_cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies,
					   CUgraphEdgeData *edgeData, size_t *numDependencies)
{
	struct listing listing = {.nodes = dependencies,
				  .room = numDependencies ? *numDependencies : 0};
	size_t i;

	if (!is_node(hNode) || !numDependencies)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < hNode->before_count; i++)
		list(&listing, hNode->before[i], NULL);
	end_listing(&listing, numDependencies);
	if (dependencies)
		clear_edges(edgeData, numDependencies);
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies,
					size_t *numDependencies)
{
	return sim_cuGraphNodeGetDependencies_v2(hNode, dependencies, NULL, numDependencies);
}

CUresult sim_cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes,
					     CUgraphEdgeData *edgeData, size_t *numDependentNodes)
{
	struct listing listing = {.nodes = dependentNodes,
				  .room = numDependentNodes ? *numDependentNodes : 0};
	CUgraphNode node;
	size_t i, j;

	if (!is_node(hNode) || !numDependentNodes)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < hNode->graph->count; i++) {
		node = hNode->graph->nodes[i];
		for (j = 0; j < node->before_count; j++)
			if (node->before[j] == hNode)
				list(&listing, node, NULL);
	}
	end_listing(&listing, numDependentNodes);
	if (dependentNodes)
		clear_edges(edgeData, numDependentNodes);
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes,
					  size_t *numDependentNodes)
{
	return sim_cuGraphNodeGetDependentNodes_v2(hNode, dependentNodes, NULL, numDependentNodes);
}

static CUresult check_pairs(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
			    size_t count)
{
	size_t i;

	if (!is_graph(graph) || (count && (!from || !to)))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < count; i++)
		if (!is_node(from[i]) || !is_node(to[i]) || from[i]->graph != graph ||
		    to[i]->graph != graph)
			return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
				       const CUgraphNode *to, const CUgraphEdgeData *edgeData,
				       size_t numDependencies)
{
	CUresult result = check_pairs(hGraph, from, to, numDependencies);
	size_t i;

	if (result == CUDA_SUCCESS && !sim_edges_are_plain(edgeData, numDependencies))
		result = sim_call_unsupported("graph edges with data");
	for (i = 0; i < numDependencies && result == CUDA_SUCCESS; i++)
		result = sim_node_depend(to[i], from[i]);
	return result;
}

CUresult sim_cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
				    size_t numDependencies)
{
	return sim_cuGraphAddDependencies_v2(hGraph, from, to, NULL, numDependencies);
}

static CUresult remove_dependency(CUgraphNode node, CUgraphNode before)
{
	size_t i;

	for (i = 0; i < node->before_count; i++)
		if (node->before[i] == before) {
			memmove(&node->before[i], &node->before[i + 1],
				(node->before_count - i - 1) * sizeof(CUgraphNode));
			node->before_count--;
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
					  const CUgraphNode *to, const CUgraphEdgeData *edgeData,
					  size_t numDependencies)
{
	CUresult result = check_pairs(hGraph, from, to, numDependencies);
	size_t i;

	if (result == CUDA_SUCCESS && !sim_edges_are_plain(edgeData, numDependencies))
		result = CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < numDependencies && result == CUDA_SUCCESS; i++)
		result = remove_dependency(to[i], from[i]);
	return result;
}

CUresult sim_cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from,
				       const CUgraphNode *to, size_t numDependencies)
{
	return sim_cuGraphRemoveDependencies_v2(hGraph, from, to, NULL, numDependencies);
}

CUresult sim_cuGraphDestroyNode(CUgraphNode hNode)
{
	if (!is_node(hNode))
		return CUDA_ERROR_INVALID_VALUE;
	if (sim_graph_has_memory(hNode->graph)) /* G-13 */
		return CUDA_ERROR_NOT_SUPPORTED;
	sim_node_free(hNode);
	return CUDA_SUCCESS;
}
