/* What of a kernel a walk has to compute: all that the sites and the branches depend on. */
#include <stdbool.h>
#include <stdlib.h>

#include "footprint/walk.h"
#include "base/heap.h"

#define END(w) ((uint32_t)(w)->k->flow.blocks.count)

static const struct sc_value_node *node_at(const struct sc_walk *w, uint32_t node)
{
	return &w->k->graph.nodes.items[node];
}

typedef SC_VECTOR(uint32_t) node_list;

/* Leaves need no place: they are looked up where they are used. */
static void want(struct sc_walk *w, node_list *work, uint32_t node)
{
	if (!node || node_at(w, node)->op < SC_NODE_ADD || w->slots[node])
		return;
	w->slots[node] = ++w->count;
	w->count += node_at(w, node)->block >= END(w) ? SC_WALK_NODES : 0;
	sc_vector_push(work, node);
}

static void want_operands(struct sc_walk *w, node_list *work, uint32_t node)
{
	const struct sc_value_node *n = node_at(w, node);

	if (n->op == SC_NODE_PHI) {
		for (uint32_t i = 0; i < n->b; i++)
			want(w, work, w->k->graph.phi_args.items[n->a + i]);
		return;
	}
	want(w, work, n->a);
	want(w, work, n->b);
	if (n->op == SC_NODE_SELECT)
		want(w, work, n->c);
}

/* Gives places to all that the sites and the branches depend on; false if that is too much. */
static bool find_slice(struct sc_walk *w)
{
	const struct sc_value_graph *g = &w->k->graph;
	node_list work = {0};

	for (size_t i = 0; i < w->sites->count; i++) {
		const struct sc_memory_site *s = &g->sites.items[w->sites->items[i].site];

		want(w, &work, s->address);
		want(w, &work, s->guard);
		want(w, &work, s->size);
		want(w, &work, s->pitch);
	}
	for (size_t i = 0; i < g->conditions.count; i++)
		want(w, &work, g->conditions.items[i]);
	while (work.count && w->count <= SC_WALK_NODES)
		want_operands(w, &work, work.items[--work.count]);
	sc_vector_fini(&work);
	return w->count <= SC_WALK_NODES;
}

/* Lists the nodes of each block, phis first; within a block an operand has the smaller number. */
static void list_nodes(struct sc_walk *w)
{
	node_list *lists = sc_heap_xcalloc((size_t)END(w) * 2 + 1, sizeof(*lists));

	for (uint32_t i = 1; i < w->k->graph.nodes.count; i++)
		if (w->slots[i])
			sc_vector_push(&lists[node_at(w, i)->block * 2 +
					      (node_at(w, i)->op != SC_NODE_PHI)],
				       i);
	for (uint32_t i = 0; i < END(w) * 2; i++) {
		if (!(i % 2))
			sc_vector_push(&w->block_nodes, (uint32_t)w->nodes.count);
		for (size_t k = 0; k < lists[i].count; k++)
			sc_vector_push(&w->nodes, lists[i].items[k]);
		sc_vector_fini(&lists[i]);
	}
	sc_vector_push(&w->block_nodes, (uint32_t)w->nodes.count);
	free(lists);
}

/* Sites were made block by block. */
static void list_sites(struct sc_walk *w)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i <= END(w); i++) {
		sc_vector_push(&w->block_sites, at);
		while (at < w->sites->count &&
		       w->k->graph.sites.items[w->sites->items[at].site].block == i)
			at++;
	}
}

bool sc_walk_plan(struct sc_walk *w)
{
	if (!find_slice(w))
		return 0;
	list_nodes(w);
	list_sites(w);
	return 1;
}
