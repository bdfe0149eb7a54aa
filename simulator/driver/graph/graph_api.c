/* The graph functions of the API that are about structure. */

#include "simulator/driver/api.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/handle.h"

static bool is_graph(CUgraph graph)
{
	return sim_handle_is(graph, SIM_KIND_GRAPH);
}

static bool is_node(CUgraphNode node)
{
	return sim_handle_is(node, SIM_KIND_NODE);
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
	CUgraphNode *others;   /* edges: the second list, else NULL */
	CUgraphEdgeData *data; /* of edges, or NULL */
	size_t room;
	size_t found;
	bool is_lossy; /* an edge has data, and there is no list for them */
};

static void list(struct listing *listing, CUgraphNode node, CUgraphNode other,
		 const CUgraphEdgeData *data)
{
	if (listing->nodes && listing->found < listing->room) {
		listing->nodes[listing->found] = node;
		if (listing->others)
			listing->others[listing->found] = other;
		if (listing->data)
			listing->data[listing->found] = *data;
		listing->is_lossy |= data && !listing->data && !sim_edge_is_plain(data);
	}
	listing->found++;
}

static CUresult end_listing(struct listing *listing, size_t *count)
{
	size_t i;

	if (listing->is_lossy)
		return CUDA_ERROR_LOSSY_QUERY;
	if (!listing->nodes) {
		*count = listing->found;
		return CUDA_SUCCESS;
	}
	for (i = listing->found; i < listing->room; i++) {
		listing->nodes[i] = NULL;
		if (listing->others)
			listing->others[i] = NULL;
	}
	*count = listing->found < listing->room ? listing->found : listing->room;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes)
{
	struct listing listing = {.nodes = nodes, .room = numNodes ? *numNodes : 0};
	size_t i;

	if (!is_graph(hGraph) || !numNodes)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < hGraph->count; i++)
		list(&listing, hGraph->nodes[i], NULL, NULL);
	return end_listing(&listing, numNodes);
}

CUresult sim_cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes)
{
	struct listing listing = {.nodes = rootNodes, .room = numRootNodes ? *numRootNodes : 0};
	size_t i;

	if (!is_graph(hGraph) || !numRootNodes)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < hGraph->count; i++)
		if (!hGraph->nodes[i]->before.count)
			list(&listing, hGraph->nodes[i], NULL, NULL);
	return end_listing(&listing, numRootNodes);
}

CUresult sim_cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
				CUgraphEdgeData *edgeData, size_t *numEdges)
{
	struct listing listing = {
		.nodes = from, .others = to, .data = edgeData, .room = numEdges ? *numEdges : 0};
	const struct sim_edges *before;
	size_t i, j;

	if (!is_graph(hGraph) || !numEdges || !from != !to || (edgeData && !from))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < hGraph->count; i++) {
		before = &hGraph->nodes[i]->before;
		for (j = 0; j < before->count; j++)
			list(&listing, before->nodes[j], hGraph->nodes[i], &before->data[j]);
	}
	return end_listing(&listing, numEdges);
}

CUresult sim_cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges)
{
	return sim_cuGraphGetEdges_v2(hGraph, from, to, NULL, numEdges);
}

CUresult sim_cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies,
					   CUgraphEdgeData *edgeData, size_t *numDependencies)
{
	struct listing listing = {.nodes = dependencies,
				  .data = edgeData,
				  .room = numDependencies ? *numDependencies : 0};
	size_t i;

	if (!is_node(hNode) || !numDependencies || (edgeData && !dependencies))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < hNode->before.count; i++)
		list(&listing, hNode->before.nodes[i], NULL, &hNode->before.data[i]);
	return end_listing(&listing, numDependencies);
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
				  .data = edgeData,
				  .room = numDependentNodes ? *numDependentNodes : 0};
	CUgraphNode node;
	size_t i, found;

	if (!is_node(hNode) || !numDependentNodes || (edgeData && !dependentNodes))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < hNode->graph->count; i++) {
		node = hNode->graph->nodes[i];
		found = sim_edges_find(&node->before, hNode);
		if (found < node->before.count)
			list(&listing, node, NULL, &node->before.data[found]);
	}
	return end_listing(&listing, numDependentNodes);
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

	for (i = 0; i < numDependencies && result == CUDA_SUCCESS; i++)
		result = sim_node_depend(to[i], from[i], edgeData ? &edgeData[i] : NULL);
	return result;
}

CUresult sim_cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
				    size_t numDependencies)
{
	return sim_cuGraphAddDependencies_v2(hGraph, from, to, NULL, numDependencies);
}

/* The edge must have just that data. */
static CUresult remove_dependency(CUgraphNode node, CUgraphNode before, const CUgraphEdgeData *data)
{
	size_t found = sim_edges_find(&node->before, before);

	if (found == node->before.count || !sim_edge_is_equal(&node->before.data[found], data))
		return CUDA_ERROR_INVALID_VALUE;
	sim_edges_remove(&node->before, found);
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
					  const CUgraphNode *to, const CUgraphEdgeData *edgeData,
					  size_t numDependencies)
{
	static const CUgraphEdgeData plain;
	CUresult result = check_pairs(hGraph, from, to, numDependencies);
	size_t i;

	for (i = 0; i < numDependencies && result == CUDA_SUCCESS; i++)
		result = remove_dependency(to[i], from[i], edgeData ? &edgeData[i] : &plain);
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
