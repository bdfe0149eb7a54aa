/* A graph as a flat list: nodes level by level, edges counted by target. */
#include <stdint.h>
#include <string.h>
#include "interposer/driver/driver.h"
#include "interposer/call/graph.h"
#include "interposer/object/handle.h"
#include "interposer/guard/graph_operands.h"
#include "interposer/core/packed_list.h"

#define NODES_MAX (1u << 17)

/* The nodes of one graph, child graph or body. */
struct level {
	CUgraph graph;
	uint32_t parent; /* + 1 */
	uint32_t body;
};

struct sc_graph_edge {
	uint32_t from, to;
	uint8_t port, type;
};

void sc_graph_read_fini(struct sc_reading *r)
{
	sc_mapped_list_fini(&r->entries);
	sc_mapped_list_fini(&r->edges);
	sc_mapped_list_fini(&r->dependencies);
	sc_mapped_list_fini(&r->first);
	sc_mapped_list_fini(&r->levels);
	sc_mapped_list_fini(&r->scratch);
	sc_mapped_list_fini(&r->map);
	sc_graph_operands_fini(&r->operands);
}

void sc_graph_read_pack(struct sc_reading *r)
{
	sc_mapped_list_fini(&r->edges);
	sc_mapped_list_fini(&r->dependencies);
	sc_mapped_list_fini(&r->first);
	sc_mapped_list_fini(&r->levels);
	sc_mapped_list_fini(&r->scratch);
	sc_packed_list_pack(&r->entries);
	sc_packed_list_pack(&r->map);
	sc_graph_operands_pack(&r->operands);
}

/* ---- places by handle ---- */

static uint64_t hash(CUgraphNode node)
{
	uint64_t h = (uint64_t)node * UINT64_C(0x9E3779B97F4A7C15);

	return h ^ h >> 32;
}

/* Half full at most, rebuilt when all entries are known. */
static bool build_map(struct sc_reading *r)
{
	uint64_t places = 8;

	while (places < 2 * (uint64_t)r->count)
		places *= 2;
	r->map.used = 0;
	if (!sc_mapped_list_grow(&r->map, places * sizeof(uint32_t)))
		return false;
	memset(r->map.start, 0, r->map.used);
	for (uint32_t i = 0; i < r->count; i++) {
		uint64_t at = hash(sc_graph_entry(r, i)->node) & (places - 1);

		while (((uint32_t *)r->map.start)[at])
			at = (at + 1) & (places - 1);
		((uint32_t *)r->map.start)[at] = i + 1;
	}
	return true;
}

uint32_t sc_graph_read_find(const struct sc_reading *r, CUgraphNode node)
{
	uint64_t mask = r->map.used / sizeof(uint32_t) - 1;
	const uint32_t *map = r->map.start;

	for (uint64_t at = hash(node) & mask; map && map[at]; at = (at + 1) & mask)
		if (sc_graph_entry(r, map[at] - 1)->node == node)
			return map[at] - 1;
	return UINT32_MAX;
}

/* ---- nodes ---- */

static bool add_level(struct sc_reading *r, CUgraph graph, uint32_t parent, uint32_t body)
{
	struct level *l = sc_mapped_list_grow(&r->levels, sizeof(*l));

	if (l)
		*l = (struct level){graph, parent, body};
	return l != NULL;
}

/* Node handles come back: the bodies of one that is gone are gone, too, as with its graph. */
static bool add_bodies(struct sc_reading *r, uint32_t index, const struct sc_made *made)
{
	if (!made || !made->body_count || !sc_handle_of(made->around) ||
	    !sc_handle_may_ask(made->around.handle)) {
		r->unread[SC_UNREAD_BODY]++;
		return true;
	}
	for (uint32_t i = 0; i < made->body_count; i++)
		if (!add_level(r, (CUgraph)made->bodies[i], index + 1, i))
			return false;
	return true;
}

/* The graphs inside of a node. */
static bool add_inner(struct sc_reading *r, uint32_t index)
{
	const struct sc_driver *d = sc_driver();
	CUgraphNode node = sc_graph_entry(r, index)->node;
	CUgraph child = NULL;

	switch ((int)sc_graph_entry(r, index)->type) {
	case CU_GRAPH_NODE_TYPE_GRAPH:
		if (d->GraphChildGraphNodeGetGraph && !d->GraphChildGraphNodeGetGraph(node, &child))
			return add_level(r, child, index + 1, 0);
		r->unread[SC_UNREAD_CHILD]++;
		return true;
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		return add_bodies(r, index, sc_graph_made(node, sc_graph_entry(r, index)->graph));
	default: return true;
	}
}

static bool read_nodes(struct sc_reading *r, struct level level)
{
	const struct sc_driver *d = sc_driver();
	struct sc_entry *entries;
	CUgraphNode *nodes;
	size_t count = 0;

	if (d->GraphGetNodes(level.graph, NULL, &count))
		return false;
	if (!count)
		return true;
	if (count > NODES_MAX - r->count)
		return false;
	r->scratch.used = 0;
	nodes = sc_mapped_list_grow(&r->scratch, count * sizeof(*nodes));
	entries = sc_mapped_list_grow(&r->entries, count * sizeof(*entries));
	if (!nodes || !entries || d->GraphGetNodes(level.graph, nodes, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		entries[i] = (struct sc_entry){.node = nodes[i],
					       .graph = level.graph,
					       .parent = level.parent,
					       .body = level.body};
		if (d->GraphNodeGetType(nodes[i], &entries[i].type))
			return false;
	}
	r->count += (uint32_t)count;
	return true;
}

static bool read_level(struct sc_reading *r, struct level level)
{
	uint32_t first = r->count;

	if (!read_nodes(r, level))
		return false;
	for (uint32_t i = first; i < r->count; i++)
		if (!add_inner(r, i))
			return false;
	return true;
}

/* ---- edges ---- */

static bool get_edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
		      size_t *count)
{
	const struct sc_driver *d = sc_driver();

	if (d->GraphGetEdges_v2)
		return !d->GraphGetEdges_v2(graph, from, to, data, count);
	if (data)
		memset(data, 0, *count * sizeof(*data));
	return d->GraphGetEdges && !d->GraphGetEdges(graph, from, to, count);
}

static bool read_edges(struct sc_reading *r, CUgraph graph)
{
	struct sc_graph_edge *edges;
	CUgraphEdgeData *data;
	CUgraphNode *from;
	size_t count = 0;

	if (!get_edges(graph, NULL, NULL, NULL, &count))
		return false;
	if (!count)
		return true;
	r->scratch.used = 0;
	from = sc_mapped_list_grow(&r->scratch, count * (2 * sizeof(*from) + sizeof(*data)));
	edges = sc_mapped_list_grow(&r->edges, count * sizeof(*edges));
	if (!from || !edges)
		return false;
	data = (CUgraphEdgeData *)(from + 2 * count);
	if (!get_edges(graph, from, from + count, data, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		edges[i] = (struct sc_graph_edge){sc_graph_read_find(r, from[i]),
						  sc_graph_read_find(r, from[count + i]),
						  data[i].from_port, data[i].type};
		if (edges[i].from == UINT32_MAX || edges[i].to == UINT32_MAX)
			return false;
	}
	return true;
}

/* Counting sort by target. */
static bool sort_edges(struct sc_reading *r)
{
	const struct sc_graph_edge *edges = r->edges.start;
	size_t count = r->edges.used / sizeof(*edges);
	uint32_t *first = sc_mapped_list_grow(&r->first, ((size_t)r->count + 2) * sizeof(*first));
	struct sc_dependency *list =
		sc_mapped_list_grow(&r->dependencies, (count + 1) * sizeof(*list));

	if (!first || !list)
		return false;
	for (size_t i = 0; i < count; i++)
		first[edges[i].to + 2]++;
	for (uint32_t i = 0; i < r->count; i++)
		first[i + 2] += first[i + 1];
	for (size_t i = 0; i < count; i++)
		list[first[edges[i].to + 1]++] = (struct sc_dependency){
			.node = edges[i].from, .port = edges[i].port, .type = edges[i].type};
	return true;
}

/* After sort_edges: where the edges of a node's successor begin is where its own end. */
static bool is_chain(const struct sc_reading *r)
{
	const uint32_t *first = r->first.start;
	const struct sc_dependency *list = r->dependencies.start;

	for (uint32_t i = 0; i < r->count; i++) {
		if (first[i + 1] - first[i] != (i ? 1 : 0) || (i && list[first[i]].node != i - 1))
			return false;
	}
	return r->graphs == 1;
}

bool sc_graph_read(struct sc_reading *r, CUgraph graph)
{
	const struct sc_driver *d = sc_driver();

	*r = (struct sc_reading){0};
	if (!d->GraphGetNodes || !d->GraphNodeGetType || !add_level(r, graph, 0, 0))
		return false;
	for (size_t i = 0; i < r->levels.used / sizeof(struct level); i++)
		if (!read_level(r, ((struct level *)r->levels.start)[i]))
			return false;
	r->graphs = (uint32_t)(r->levels.used / sizeof(struct level));
	if (!build_map(r))
		return false;
	for (size_t i = 0; i < r->levels.used / sizeof(struct level); i++)
		if (!read_edges(r, ((struct level *)r->levels.start)[i].graph))
			return false;
	if (!sort_edges(r))
		return false;
	r->is_chain = is_chain(r);
	return true;
}
