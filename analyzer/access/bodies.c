/* Bodies: from kernels that ran to the bodies that hold them. */
#include "analyzer/access/bodies.h"

#include "base/assert.h"
#include "base/map.h"

/* Only the device's own execution says of each launch what did not run. */
static bool has_touched(const struct sc_graph_node *n, const struct sc_executed *executed)
{
	size_t count = 0;
	const struct sc_access *list = NULL;

	if (n->op.kind == SC_OP_KERNEL && n->executed && !n->is_disabled)
		list = sc_executed_at(executed, n->executed, &count);
	return list && count && list->how == SC_HOW_EXECUTION;
}

static void mark(const struct sc_graph *g, uint32_t place, struct sc_u64_map *ran)
{
	uint64_t body;

	while ((body = sc_graph_body_of(g, place, &place)))
		*sc_u64_map_get(ran, body) = 1;
}

void sc_graph_set_bodies(struct sc_graph *g, const struct sc_executed *executed, bool is_first)
{
	struct sc_u64_map ran = {0};
	uint32_t unused;

	sc_assert(g->is_sealed && !g->is_broken);
	if (!g->has_bodies)
		return;
	for (uint32_t i = 0; i < g->places; i++)
		if (has_touched(sc_graph_at(g, i), executed))
			mark(g, i, &ran);
	for (uint32_t i = 0; i < g->places; i++) {
		uint64_t body = sc_graph_body_of(g, i, &unused);

		if (body)
			sc_graph_set_run(g, i, sc_u64_map_find(&ran, body) != NULL, is_first);
	}
	sc_u64_map_fini(&ran);
}
