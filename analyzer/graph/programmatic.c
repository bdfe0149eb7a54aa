/* Programmatic edges: what is complete before a row starts, and before it touches memory. */
#include "analyzer/graph/programmatic.h"

#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/kernel/code.h"
#include "base/assert.h"
#include "base/heap.h"

/* What the code of each row does; as in analyzer/order/programmatic.c, unknown code is assumed to
 * wait, and to trigger after the wait. */
static uint16_t *codes_of(const struct sc_graph *g, struct sc_code *code)
{
	uint16_t *grids = sc_heap_xcalloc((size_t)g->topology->rows.count + 1, sizeof(*grids));

	for (uint32_t i = 0; code && i < g->places; i++) {
		const struct sc_op *op = &sc_graph_at(g, i)->op;

		if (op->kind == SC_OP_KERNEL)
			grids[i] = (uint16_t)sc_code_grid(code, op->object);
	}
	return grids;
}

static bool waits(uint16_t grid)
{
	return !(grid & SC_GRID_KNOWN) || grid & SC_GRID_WAIT;
}

/* Perhaps before it has waited. */
static bool triggers(uint16_t grid)
{
	return grid & SC_GRID_KNOWN && grid & SC_GRID_TRIGGER && !(grid & SC_GRID_LATE_TRIGGER);
}

/* What is complete before a row starts. */
static void fill_start(const struct sc_graph_rows *r, const uint16_t *grids, uint32_t row)
{
	const struct sc_edges *e = &r->edges;

	for (uint32_t k = e->first[row]; k < e->first[row + 1]; k++) {
		uint32_t from = e->list[k];
		bool is_begun = e->ports[k] == SC_PORT_BEGIN || triggers(grids[from]);

		if (e->ports[k] == SC_PORT_COMPLETE)
			sc_graph_join_row(r, r->starts, row, r->leads, from, 1);
		else
			sc_graph_join_row(r, r->starts, row, is_begun ? r->starts : r->early, from,
					  0);
	}
}

/* What is complete before a row touches memory. */
static void fill_early(const struct sc_graph_rows *r, const uint16_t *grids, uint32_t row)
{
	const struct sc_edges *e = &r->edges;

	sc_graph_join_row(r, r->early, row, r->starts, row, 0);
	for (uint32_t k = e->first[row]; waits(grids[row]) && k < e->first[row + 1]; k++)
		if (e->ports[k] != SC_PORT_COMPLETE)
			sc_graph_join_row(r, r->early, row, r->early, e->list[k], 1);
}

void sc_graph_programmatic_find(struct sc_graph *g, struct sc_code *code)
{
	struct sc_graph_rows *r = &g->topology->rows;
	size_t words = r->count * sc_graph_words(r) + 1;
	uint16_t *grids;

	sc_assert(g->is_sealed && !g->is_broken);
	if (!r->sorted || (r->early && !g->has_new_code))
		return;
	g->has_new_code = 0;
	free(r->early);
	free(r->starts);
	r->early = sc_heap_xcalloc(words, sizeof(*r->early));
	r->starts = sc_heap_xcalloc(words, sizeof(*r->starts));
	grids = codes_of(g, code);
	for (uint32_t i = 0; i < r->count; i++) {
		fill_start(r, grids, r->sorted[i]);
		fill_early(r, grids, r->sorted[i]);
	}
	free(grids);
}
