/* Graphs: the order inside those that are too large for a bit matrix. */
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "analyzer/kernel/code.h"
#include "analyzer/graph/graph.h"
#include "analyzer/graph/programmatic.h"

#define LARGE (SC_GRAPH_ROWS_MAX + 1000)

/* A node that depends on at most one other. */
struct attachment {
	struct sc_attach_head head;
	struct sc_node node;
	struct sc_dependency after;
};

static void add_node(struct sc_graph *g, uint32_t index, const uint32_t *after, uint8_t port)
{
	struct attachment a = {.node.index = index};
	struct sc_record r = {.op = {.kind = SC_OP_KERNEL, .flags = SC_FLAG_NODE}};

	a.head.type = SC_ATTACH_NODE;
	a.head.bytes = sizeof(a.node) + (after ? sizeof(a.after) : 0);
	a.after.node = after ? *after : 0;
	a.after.type = port != SC_PORT_COMPLETE;
	a.after.port = port;
	r.sequence = index + 1;
	r.attachments = (const uint8_t *)&a;
	r.attachment_bytes = (uint32_t)sizeof(a.head) + a.head.bytes;
	sc_graph_note(g, &r);
}

/* Nodes that each depend on the one `lanes` before. */
static struct sc_graph *braid(uint32_t lanes)
{
	struct sc_record made = {.op = {.kind = SC_OP_INSTANTIATE, .object = 1}};
	struct sc_graph *g = sc_graph_new(&made);

	for (uint32_t i = 0; i < LARGE; i++) {
		uint32_t after = i - lanes;

		add_node(g, i, i < lanes ? NULL : &after, SC_PORT_COMPLETE);
	}
	return g;
}

TEST(two_streams)
{
	struct sc_clock_pool pool = {0};
	struct sc_graph *g = braid(2);

	assert_true(sc_graph_seal(g));
	assert_false(g->topology->rows.is_large);
	assert_true(sc_graph_reaches(g, 0, LARGE - 2));
	assert_true(sc_graph_reaches(g, 1, 3));
	assert_false(sc_graph_reaches(g, 0, 1));
	assert_false(sc_graph_reaches(g, 1, LARGE - 2));
	assert_false(sc_graph_reaches(g, LARGE - 2, 0));
	sc_graph_put(&pool, g);
	sc_clock_pool_fini(&pool);
}

/* As wide as it is large: nothing is known, and it says so. */
TEST(no_edges)
{
	struct sc_clock_pool pool = {0};
	struct sc_graph *g = braid(LARGE);

	assert_true(sc_graph_seal(g));
	assert_true(g->topology->rows.is_large);
	assert_true(sc_graph_reaches(g, 0, 1));
	sc_graph_put(&pool, g);
	sc_clock_pool_fini(&pool);
}

/* Kernels in a row, joined by programmatic edges; their code waits for nothing. */
static struct sc_graph *hasty_row(struct sc_code *code, uint32_t count)
{
	struct sc_record made = {.op = {.kind = SC_OP_INSTANTIATE, .object = 1}};
	struct sc_record kernel = {.op = {.kind = SC_OP_FUNCTION, .value = SC_GRID_KNOWN}};
	struct sc_graph *g = sc_graph_new(&made);

	sc_code_note(code, &kernel);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t after = i - 1;

		add_node(g, i, i ? &after : NULL, SC_PORT_TRIGGER);
	}
	return g;
}

/* A path, but no order; where there are too many for a second matrix, the path counts. */
TEST(programmatic)
{
	static const uint32_t counts[] = {3, SC_GRAPH_EARLY_MAX + 1};

	for (unsigned i = 0; i < 2; i++) {
		struct sc_clock_pool pool = {0};
		struct sc_code code = {0};
		struct sc_graph *g = hasty_row(&code, counts[i]);

		assert_true(sc_graph_seal(g));
		sc_graph_programmatic_find(g, &code);
		assert_true(sc_graph_leads(g, 0, 1));
		assert_int_equal(sc_graph_reaches(g, 0, 1), i);
		assert_int_equal(g->topology->rows.is_vague, i);
		sc_graph_put(&pool, g);
		sc_clock_pool_fini(&pool);
		sc_code_fini(&code);
	}
}
