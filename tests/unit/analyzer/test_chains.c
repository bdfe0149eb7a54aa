/* Chains against their naive form: the transitive closure of random graphs, row by row. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "analyzer/graph/chains.h"
#include "tests/unit/pick.h"

#define ROWS 120
#define WIDE 40000 /* rows without edges: as many chains */

struct world {
	uint32_t order[ROWS], first[ROWS + 1], list[ROWS * ROWS];
	bool leads[ROWS][ROWS], before[ROWS][ROWS];
};

/* Edges go from earlier to later places of a random order. */
static void draw(struct world *w)
{
	uint32_t share = 1 + pick(60);

	memset(w, 0, sizeof(*w));
	for (uint32_t i = 0; i < ROWS; i++) {
		uint32_t other = pick(i + 1);

		w->order[i] = w->order[other];
		w->order[other] = i;
	}
	for (uint32_t i = 0; i < ROWS; i++)
		for (uint32_t k = 0; k < i; k++)
			w->leads[w->order[k]][w->order[i]] = !pick(share);
	for (uint32_t to = 0, edges = 0; to < ROWS; w->first[++to] = edges)
		for (uint32_t from = 0; from < ROWS; from++)
			if (w->leads[from][to])
				w->list[edges++] = from;
}

static void close_naively(struct world *w)
{
	memcpy(w->before, w->leads, sizeof(w->before));
	for (uint32_t k = 0; k < ROWS; k++)
		for (uint32_t i = 0; i < ROWS; i++)
			for (uint32_t j = 0; j < ROWS; j++)
				w->before[i][j] |= w->before[i][k] && w->before[k][j];
}

TEST(against_closure)
{
	static struct world w;

	for (unsigned round = 0; round < 100; round++) {
		struct sc_chains *c;

		draw(&w);
		close_naively(&w);
		c = sc_chains_new(ROWS, &(struct sc_edges){.first = w.first, .list = w.list},
				  w.order);
		assert_non_null(c);
		for (uint32_t i = 0; i < ROWS; i++)
			for (uint32_t j = 0; j < ROWS; j++)
				assert_int_equal(sc_chains_reach(c, i, j), w.before[i][j]);
		sc_chains_free(c);
	}
}

/* One chain of all rows, as one captured stream gives; and no edge at all, which is too much. */
TEST(sizes)
{
	static uint32_t order[WIDE], list[WIDE], line[WIDE + 1], none[WIDE + 1];
	struct sc_chains *c;

	for (uint32_t i = 0; i < WIDE; i++) {
		order[i] = i;
		list[i] = i;
		line[i + 1] = i;
	}
	c = sc_chains_new(WIDE, &(struct sc_edges){.first = line, .list = list}, order);
	assert_int_equal(c->count, 1);
	assert_true(sc_chains_reach(c, 0, WIDE - 1));
	assert_false(sc_chains_reach(c, WIDE - 1, 0));
	sc_chains_free(c);
	assert_null(sc_chains_new(WIDE, &(struct sc_edges){.first = none, .list = list}, order));
}
