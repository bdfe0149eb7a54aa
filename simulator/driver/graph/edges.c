/* Lists of dependencies with their data. */
#include "simulator/driver/graph/edges.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "simulator/driver/graph/graph.h"

static bool reserve(struct sim_edges *edges, size_t wanted)
{
	CUgraphNode *nodes = realloc(edges->nodes, wanted * sizeof(*nodes));
	CUgraphEdgeData *data;

	if (!nodes)
		return false;
	edges->nodes = nodes;
	data = realloc(edges->data, wanted * sizeof(*data));
	if (!data)
		return false;
	edges->data = data;
	return true;
}

bool sim_edges_add(struct sim_edges *edges, CUgraphNode node, const CUgraphEdgeData *data)
{
	size_t count = edges->count;

	if (!(count & (count - 1)) && !reserve(edges, count ? count * 2 : 1))
		return false;
	edges->nodes[count] = node;
	edges->data[count] = data ? *data : (CUgraphEdgeData){0};
	edges->count++;
	return true;
}

bool sim_edges_set(struct sim_edges *edges, const CUgraphNode *nodes, const CUgraphEdgeData *data,
		   size_t count)
{
	struct sim_edges made = {0};
	size_t i;

	for (i = 0; i < count; i++)
		if (!sim_edges_add(&made, nodes[i], data ? &data[i] : NULL)) {
			sim_edges_fini(&made);
			return false;
		}
	sim_edges_fini(edges);
	*edges = made;
	return true;
}

size_t sim_edges_find(const struct sim_edges *edges, CUgraphNode node)
{
	size_t i;

	for (i = 0; i < edges->count; i++)
		if (edges->nodes[i] == node)
			break;
	return i;
}

void sim_edges_remove(struct sim_edges *edges, size_t index)
{
	size_t after = edges->count - index - 1;

	sc_assert(index < edges->count);
	memmove(&edges->nodes[index], &edges->nodes[index + 1], after * sizeof(*edges->nodes));
	memmove(&edges->data[index], &edges->data[index + 1], after * sizeof(*edges->data));
	edges->count--;
}

void sim_edges_fini(struct sim_edges *edges)
{
	free(edges->nodes);
	free(edges->data);
	*edges = (struct sim_edges){0};
}

bool sim_edge_is_equal(const CUgraphEdgeData *a, const CUgraphEdgeData *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

bool sim_edge_is_plain(const CUgraphEdgeData *data)
{
	static const CUgraphEdgeData plain;

	return sim_edge_is_equal(data, &plain);
}

bool sim_edges_are_plain(const CUgraphEdgeData *data, size_t count)
{
	size_t i;

	for (i = 0; data && i < count; i++)
		if (!sim_edge_is_plain(&data[i]))
			return false;
	return true;
}

bool sim_edge_is_possible_from(CUgraphNode from, const CUgraphEdgeData *data)
{
	const CUgraphEdgeData meant = {.from_port = data->from_port, .type = data->type};

	if (!sim_edge_is_equal(data, &meant)) /* what is not used yet must be zero */
		return false;
	if (data->type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT)
		return data->from_port == CU_GRAPH_KERNEL_NODE_PORT_DEFAULT;
	return data->type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC &&
	       (data->from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC ||
		data->from_port == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER) &&
	       from->type == CU_GRAPH_NODE_TYPE_KERNEL;
}

bool sim_edge_is_possible(CUgraphNode from, CUgraphNode to, const CUgraphEdgeData *data)
{
	return sim_edge_is_possible_from(from, data) &&
	       (sim_edge_is_plain(data) || to->type == CU_GRAPH_NODE_TYPE_KERNEL);
}
