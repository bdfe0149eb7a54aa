/* Chains: a greedy cut of a graph, and what lies before each row. */
#include "analyzer/graph/chains.h"

#include <stdlib.h>
#include "base/assert.h"
#include "base/heap.h"

/* Appends each row to a chain whose last row leads to it, or begins a chain with the row. */
static void cut(struct sc_chains *c, uint32_t rows, const struct sc_edges *e, const uint32_t *order)
{
	uint8_t *has_next = sc_heap_xcalloc((size_t)rows + 1, 1);

	for (uint32_t i = 0; i < rows; i++) {
		uint32_t row = order[i], k = e->first[row];

		while (k < e->first[row + 1] && has_next[e->list[k]])
			k++;
		if (k == e->first[row + 1]) {
			c->chain[row] = c->count++;
			c->place[row] = 1;
			continue;
		}
		sc_assert(c->place[e->list[k]] > 0); /* rows that lead here come first */
		has_next[e->list[k]] = 1;
		c->chain[row] = c->chain[e->list[k]];
		c->place[row] = c->place[e->list[k]] + 1;
	}
	free(has_next);
}

/* Adds to the row that `from`, and all rows before `from`, come before it. */
static void join(const struct sc_chains *c, uint32_t *row, uint32_t from)
{
	const uint32_t *other = c->reached + (uint64_t)from * c->count;

	for (uint32_t i = 0; i < c->count; i++)
		row[i] = row[i] > other[i] ? row[i] : other[i];
	if (row[c->chain[from]] < c->place[from])
		row[c->chain[from]] = c->place[from];
}

static void fill(struct sc_chains *c, uint32_t rows, const struct sc_edges *e,
		 const uint32_t *order)
{
	c->reached = sc_heap_xcalloc((uint64_t)rows * c->count + 1, sizeof(*c->reached));
	for (uint32_t i = 0; i < rows; i++)
		for (uint32_t k = e->first[order[i]]; k < e->first[order[i] + 1]; k++)
			join(c, c->reached + (uint64_t)order[i] * c->count, e->list[k]);
}

struct sc_chains *sc_chains_new(uint32_t rows, const struct sc_edges *edges, const uint32_t *order)
{
	struct sc_chains *c = sc_heap_xcalloc(1, sizeof(*c));

	c->chain = sc_heap_xcalloc((size_t)rows + 1, sizeof(*c->chain));
	c->place = sc_heap_xcalloc((size_t)rows + 1, sizeof(*c->place));
	cut(c, rows, edges, order);
	if ((uint64_t)rows * c->count > SC_CHAINS_WORDS_MAX) {
		sc_chains_free(c);
		return NULL;
	}
	fill(c, rows, edges, order);
	return c;
}

void sc_chains_free(struct sc_chains *c)
{
	if (!c)
		return;
	free(c->chain);
	free(c->place);
	free(c->reached);
	free(c);
}
