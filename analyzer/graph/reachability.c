/* The order inside a graph: topological order and reachability.
 *
 * Edges: what a node depends on, its end if it has one; the start of the node that holds it; into
 * an end, whatever is inside.
 */
#include "analyzer/graph/reachability.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/heap.h"
#include "base/assert.h"

static bool is_holder(const struct sc_op *op)
{
	return op->kind == SC_OP_NODE &&
	       (op->value == SC_NODE_CHILD || op->value == SC_NODE_CONDITIONAL);
}

/* The nodes that edges lead between. */
struct nodes {
	struct sc_graph_node *items;
	uint32_t count;
};

/* Returns the number of rows. */
static uint32_t number_ends(const struct nodes *nodes)
{
	uint32_t rows = nodes->count;

	for (uint32_t i = 0; i < nodes->count; i++) {
		nodes->items[i].end = is_holder(&nodes->items[i].op) ? rows++ : i;
		nodes->items[i].row = i;
	}
	return rows;
}

/* G-8: programmatic edges lead from kernels to kernels. */
static enum sc_port port_of(const struct nodes *nodes, const struct sc_dependency *d, uint32_t to)
{
	bool is_programmatic = d->type == 1 && nodes->items[d->node].op.kind == SC_OP_KERNEL &&
			       nodes->items[to].op.kind == SC_OP_KERNEL;

	if (!is_programmatic || d->port > SC_PORT_BEGIN)
		return SC_PORT_COMPLETE;
	return (enum sc_port)d->port;
}

/* Calls for each edge of a node: `to` counts or stores. */
static void put_edge(struct sc_edges *e, uint32_t from, uint32_t to, enum sc_port port,
		     bool is_counting)
{
	if (is_counting) {
		e->first[to + 1]++;
		return;
	}
	e->ports[e->first[to]] = (uint8_t)port;
	e->list[e->first[to]++] = from;
}

static void put_edges(const struct nodes *nodes, struct sc_edges *e, bool is_counting)
{
	for (uint32_t i = 0; i < nodes->count; i++) {
		const struct sc_graph_node *n = &nodes->items[i];

		for (size_t k = 0; k < n->after.count; k++)
			put_edge(e, nodes->items[n->after.items[k].node].end, i,
				 port_of(nodes, &n->after.items[k], i), is_counting);
		if (n->parent) {
			put_edge(e, n->parent - 1, i, SC_PORT_COMPLETE, is_counting);
			put_edge(e, n->end, nodes->items[n->parent - 1].end, SC_PORT_COMPLETE,
				 is_counting);
		}
		if (n->end != i)
			put_edge(e, i, n->end, SC_PORT_COMPLETE, is_counting);
	}
}

/* Counting sort by target; afterwards first[] is moved back by one place. */
static struct sc_edges collect(const struct nodes *nodes, uint32_t rows)
{
	struct sc_edges e = {.first = sc_heap_xcalloc((size_t)rows + 2, sizeof(*e.first))};

	put_edges(nodes, &e, 1);
	for (uint32_t i = 0; i < rows; i++)
		e.first[i + 1] += e.first[i];
	e.list = sc_heap_xcalloc((size_t)e.first[rows] + 1, sizeof(*e.list));
	e.ports = sc_heap_xcalloc((size_t)e.first[rows] + 1, sizeof(*e.ports));
	put_edges(nodes, &e, 0);
	for (uint32_t i = rows; i > 0; i--)
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

/* Puts a row after all rows that lead to it; false if one of them is still open: a cycle. */
static bool visit(struct search *s, uint32_t row)
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

static bool sort(uint32_t rows, const struct sc_edges *e, uint32_t *order)
{
	struct search s = {.edges = e,
			   .marks = sc_heap_xcalloc((size_t)rows + 1, 1),
			   .next = sc_heap_xcalloc((size_t)rows + 1, sizeof(uint32_t)),
			   .stack = sc_heap_xcalloc((size_t)rows + 1, sizeof(uint32_t)),
			   .order = order};
	bool ok = 1;

	for (uint32_t i = 0; i < rows; i++)
		s.next[i] = e->first[i];
	for (uint32_t i = 0; ok && i < rows; i++)
		if (s.marks[i] == NEW)
			ok = visit(&s, i);
	free(s.marks);
	free(s.next);
	free(s.stack);
	return ok;
}

void sc_graph_join_row(const struct sc_graph_rows *r, uint64_t *bits, uint32_t to,
		       const uint64_t *others, uint32_t from, bool is_whole)
{
	size_t words = sc_graph_words(r);
	uint64_t *row = bits + to * words;
	const uint64_t *other = others + from * words;

	sc_assert(to < r->count && from < r->count);
	for (size_t w = 0; w < words; w++)
		row[w] |= other[w];
	if (is_whole)
		row[from / 64] |= UINT64_C(1) << from % 64;
}

/* Each row is the union of the rows that lead to it, and these themselves. */
static void fill_rows(struct sc_graph_rows *r, const struct sc_edges *e, const uint32_t *order)
{
	r->leads = sc_heap_xcalloc(r->count * sc_graph_words(r) + 1, sizeof(*r->leads));
	for (uint32_t i = 0; i < r->count; i++)
		for (uint32_t k = e->first[order[i]]; k < e->first[order[i] + 1]; k++)
			sc_graph_join_row(r, r->leads, order[i], r->leads, e->list[k], 1);
}

static bool is_programmatic(const struct sc_graph_rows *r, const struct sc_edges *e)
{
	for (uint32_t i = 0; i < e->first[r->count]; i++)
		if (e->ports[i] != SC_PORT_COMPLETE)
			return 1;
	return 0;
}

static void free_edges(struct sc_edges *e)
{
	free(e->first);
	free(e->list);
	free(e->ports);
}

/* Edges and order are needed again where it depends on the kernels what an edge gives. */
static void keep_edges(struct sc_graph_rows *r, struct sc_edges *e, uint32_t *order)
{
	r->is_vague = is_programmatic(r, e) && r->count > SC_GRAPH_EARLY_MAX;
	if (r->is_vague || !is_programmatic(r, e)) {
		free_edges(e);
		free(order);
		return;
	}
	r->edges = *e;
	r->sorted = order;
}

void sc_graph_rows_fini(struct sc_graph_rows *r)
{
	free(r->order);
	free(r->leads);
	free(r->early);
	free(r->starts);
	free(r->sorted);
	sc_chains_free(r->chains);
	free_edges(&r->edges);
}

bool sc_graph_rows_find(struct sc_graph_rows *r, struct sc_graph_node *nodes, uint32_t count)
{
	struct nodes all = {nodes, count};
	uint32_t *sorted, placed = 0;
	struct sc_edges e;
	bool ok;

	sc_assert(!r->order && !r->leads && !r->chains);
	r->count = number_ends(&all);
	e = collect(&all, r->count);
	sorted = sc_heap_xcalloc((size_t)r->count + 1, sizeof(*sorted));
	r->order = sc_heap_xcalloc((size_t)r->count + 1, sizeof(*r->order));
	ok = sort(r->count, &e, sorted);
	if (ok && r->count <= SC_GRAPH_ROWS_MAX)
		fill_rows(r, &e, sorted);
	else if (ok)
		r->chains = sc_chains_new(r->count, &e, sorted);
	r->is_large = ok && !r->leads && !r->chains;
	for (uint32_t i = 0; ok && i < r->count; i++)
		if (sorted[i] < count)
			r->order[placed++] = sorted[i];
	sc_assert(!ok || placed == count);
	keep_edges(r, &e, sorted);
	return ok;
}
