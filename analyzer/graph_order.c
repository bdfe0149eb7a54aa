/* The order inside a graph: topological order and reachability.
 *
 * Rows are the nodes, and behind them the ends of nodes that hold others. Edges: what a node
 * depends on, its end if it has one; the start of the node that holds it; into an end, whatever is
 * inside.
 */
#include <stdlib.h>
#include "analyzer/graph.h"
#include "base/heap.h"

static _Bool is_holder(const struct sc_op *op)
{
	return op->kind == SC_OP_NODE &&
	       (op->value == SC_NODE_CHILD || op->value == SC_NODE_CONDITIONAL);
}

static void number_ends(struct sc_graph *g)
{
	g->rows = (uint32_t)g->nodes.count;
	for (uint32_t i = 0; i < g->nodes.count; i++)
		g->nodes.items[i].end = is_holder(&g->nodes.items[i].op) ? g->rows++ : i;
	for (uint32_t i = 0; i < g->nodes.count; i++)
		g->nodes.items[i].row = i;
}

/* Calls for each edge of a node: `to` counts or stores. */
static void put_edge(struct sc_edges *e, uint32_t from, uint32_t to, _Bool is_counting)
{
	if (is_counting)
		e->first[to + 1]++;
	else
		e->list[e->first[to]++] = from;
}

static void put_edges(const struct sc_graph *g, struct sc_edges *e, _Bool is_counting)
{
	for (uint32_t i = 0; i < g->nodes.count; i++) {
		const struct sc_graph_node *n = &g->nodes.items[i];

		for (size_t k = 0; k < n->after.count; k++)
			put_edge(e, g->nodes.items[n->after.items[k].node].end, i, is_counting);
		if (n->parent) {
			put_edge(e, n->parent - 1, i, is_counting);
			put_edge(e, n->end, g->nodes.items[n->parent - 1].end, is_counting);
		}
		if (n->end != i)
			put_edge(e, i, n->end, is_counting);
	}
}

/* Counting sort by target; afterwards first[] is moved back by one place. */
static struct sc_edges collect(const struct sc_graph *g)
{
	struct sc_edges e = {.first = sc_heap_xcalloc((size_t)g->rows + 2, sizeof(*e.first))};

	put_edges(g, &e, 1);
	for (uint32_t i = 0; i < g->rows; i++)
		e.first[i + 1] += e.first[i];
	e.list = sc_heap_xcalloc((size_t)e.first[g->rows] + 1, sizeof(*e.list));
	put_edges(g, &e, 0);
	for (uint32_t i = g->rows; i > 0; i--)
		e.first[i] = e.first[i - 1];
	e.first[0] = 0;
	return e;
}

enum mark { NEW, OPEN, DONE };

struct search {
	const struct sc_edges *edges;
	uint8_t *marks;
	uint32_t *next;	 /* edge to follow, by row */
	uint32_t *stack; /* rows that are open */
	uint32_t *order; /* rows that are done */
	uint32_t done;
};

/* Puts a row behind all that lead to it; false if one of them is still open: a cycle. */
static _Bool visit(struct search *s, uint32_t row)
{
	uint32_t depth = 0;

	s->stack[depth++] = row;
	s->marks[row] = OPEN;
	while (depth) {
		uint32_t top = s->stack[depth - 1], from;

		if (s->next[top] == s->edges->first[top + 1]) {
			s->marks[top] = DONE;
			s->order[s->done++] = top;
			depth--;
			continue;
		}
		from = s->edges->list[s->next[top]++];
		if (s->marks[from] == OPEN)
			return 0;
		if (s->marks[from] == NEW) {
			s->marks[from] = OPEN;
			s->stack[depth++] = from;
		}
	}
	return 1;
}

static _Bool sort(const struct sc_graph *g, const struct sc_edges *e, uint32_t *order)
{
	struct search s = {.edges = e,
			   .marks = sc_heap_xcalloc((size_t)g->rows + 1, 1),
			   .next = sc_heap_xcalloc((size_t)g->rows + 1, sizeof(uint32_t)),
			   .stack = sc_heap_xcalloc((size_t)g->rows + 1, sizeof(uint32_t)),
			   .order = order};
	_Bool ok = 1;

	for (uint32_t i = 0; i < g->rows; i++)
		s.next[i] = e->first[i];
	for (uint32_t i = 0; ok && i < g->rows; i++)
		if (s.marks[i] == NEW)
			ok = visit(&s, i);
	free(s.marks);
	free(s.next);
	free(s.stack);
	return ok;
}

/* Each row is the union of the rows that lead to it, and these themselves. */
static void fill_rows(struct sc_graph *g, const struct sc_edges *e, const uint32_t *order)
{
	size_t words = ((size_t)g->rows + 63) / 64;

	g->before = sc_heap_xcalloc(g->rows * words + 1, sizeof(*g->before));
	for (uint32_t i = 0; i < g->rows; i++) {
		uint64_t *row = g->before + order[i] * words;

		for (uint32_t k = e->first[order[i]]; k < e->first[order[i] + 1]; k++) {
			uint32_t from = e->list[k];
			const uint64_t *other = g->before + from * words;

			for (size_t w = 0; w < words; w++)
				row[w] |= other[w];
			row[from / 64] |= UINT64_C(1) << from % 64;
		}
	}
}

_Bool sc_graph_order(struct sc_graph *g)
{
	uint32_t *order, count = 0;
	struct sc_edges e;
	_Bool ok;

	number_ends(g);
	e = collect(g);
	order = sc_heap_xcalloc((size_t)g->rows + 1, sizeof(*order));
	ok = sort(g, &e, order);
	if (ok && g->rows <= SC_GRAPH_ROWS_MAX)
		fill_rows(g, &e, order);
	else if (ok)
		g->chains = sc_chains_new(g->rows, &e, order);
	g->is_large = ok && !g->before && !g->chains;
	for (uint32_t i = 0; i < g->rows; i++)
		if (order[i] < g->nodes.count)
			order[count++] = order[i];
	g->order = order;
	free(e.first);
	free(e.list);
	return ok;
}
