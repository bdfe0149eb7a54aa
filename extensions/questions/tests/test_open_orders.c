/* Open orders: known numbers of small graphs, and the naive form, all permutations, of random ones.
 */
#include "extensions/questions/open_orders.h"

#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"

#define OPS_MAX	  6
#define PAIRS_MAX 15
#define ROUNDS	  400

struct graph {
	uint32_t ops;
	struct sc_open_pair edges[PAIRS_MAX], pairs[PAIRS_MAX];
	size_t edge_count, pair_count;
};

static uint64_t count(const struct graph *g, uint64_t most)
{
	struct sc_open_orders o;
	uint64_t found;

	sc_open_orders_init(&o, g->ops);
	for (size_t i = 0; i < g->edge_count; i++)
		assert_true(sc_open_orders_add(&o, g->edges[i].a, g->edges[i].b));
	found = sc_open_orders_count(&o, g->pairs, g->pair_count, most);
	sc_open_orders_fini(&o);
	return found;
}

TEST(nothing_is_open)
{
	struct graph g = {.ops = 2, .edges = {{0, 1}}, .edge_count = 1};

	assert_int_equal(count(&g, 100), 1);
	g.pairs[g.pair_count++] = (struct sc_open_pair){1, 0};
	assert_int_equal(count(&g, 100), 1);
}

TEST(two_conflicts_of_their_own_have_four_orders)
{
	struct graph g = {.ops = 4, .pairs = {{0, 1}, {2, 3}}, .pair_count = 2};

	assert_int_equal(count(&g, 100), 4);
}

TEST(a_chain_of_conflicts)
{
	struct graph g = {.ops = 3, .pairs = {{0, 1}, {1, 2}}, .pair_count = 2};

	assert_int_equal(count(&g, 100), 4);
	g.edges[g.edge_count++] = (struct sc_open_pair){0, 2}; /* then one of the four is none */
	assert_int_equal(count(&g, 100), 3);
}

TEST(three_writers_of_one_buffer_have_six_orders)
{
	struct graph g = {.ops = 3, .pairs = {{0, 1}, {0, 2}, {1, 2}}, .pair_count = 3};

	assert_int_equal(count(&g, 100), 6);
	assert_int_equal(count(&g, 4), 4);
}

TEST(what_is_ordered_cannot_be_turned)
{
	struct sc_open_orders o;

	sc_open_orders_init(&o, 70);
	assert_true(sc_open_orders_add(&o, 65, 3));
	assert_true(sc_open_orders_add(&o, 3, 69));
	assert_true(sc_open_orders_has(&o, 65, 69));
	assert_false(sc_open_orders_add(&o, 69, 65));
	assert_false(sc_open_orders_has(&o, 69, 65));
	assert_false(sc_open_orders_add(&o, 5, 5));
	sc_open_orders_fini(&o);
}

/* All permutations that keep the edges, by how they order the pairs. */
struct naive {
	const struct graph *g;
	uint32_t place[OPS_MAX];
	bool seen[1 << PAIRS_MAX];
	uint64_t count;
};

static void take_permutation(struct naive *n)
{
	size_t mask = 0;

	for (size_t i = 0; i < n->g->edge_count; i++)
		if (n->place[n->g->edges[i].a] > n->place[n->g->edges[i].b])
			return;
	for (size_t i = 0; i < n->g->pair_count; i++)
		mask |= (size_t)(n->place[n->g->pairs[i].a] < n->place[n->g->pairs[i].b]) << i;
	n->count += !n->seen[mask];
	n->seen[mask] = 1;
}

static void permute(struct naive *n, uint32_t op, unsigned taken)
{
	if (op == n->g->ops) {
		take_permutation(n);
		return;
	}
	for (uint32_t i = 0; i < n->g->ops; i++) {
		n->place[op] = i;
		if (!(taken >> i & 1))
			permute(n, op + 1, taken | 1u << i);
	}
}

static struct graph draw_graph(void)
{
	struct graph g = {.ops = 2 + (uint32_t)rand() % (OPS_MAX - 1)};

	for (uint32_t a = 0; a < g.ops; a++)
		for (uint32_t b = a + 1; b < g.ops; b++) {
			int kind = rand() % 3;

			if (!kind)
				g.edges[g.edge_count++] = (struct sc_open_pair){a, b};
			else if (kind == 1)
				g.pairs[g.pair_count++] = (struct sc_open_pair){a, b};
		}
	return g;
}

TEST(random_graphs_have_as_many_as_the_naive_form)
{
	static struct naive n;

	srand(7);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct graph g = draw_graph();

		memset(&n, 0, sizeof(n));
		n.g = &g;
		permute(&n, 0, 0);
		assert_int_equal(count(&g, UINT64_MAX), n.count);
	}
}
ALL_TESTS(NULL, NULL)
