/* Kernels that wait: a launch becomes an ordinary one, an edge between nodes gets a full one beside
 * it. */
#include "extensions/repair/planner/kernel_wait.h"

#include <stdbool.h>

static struct sc_edit *edit_of(const struct sc_applied *a, uint32_t kernel)
{
	for (size_t i = 0; i < a->edits.count; i++)
		if (a->edits.items[i].edit->kind == SC_EDIT_KERNEL_WAIT &&
		    a->edits.items[i].edit->kernel == kernel)
			return a->edits.items[i].edit;
	return NULL;
}

/* True if the kernel is complete only after those that it begins before. */
static bool waits(const struct sc_applied *a, uint32_t kernel)
{
	return sc_u64_map_find(&a->facts->waiting, kernel) != NULL;
}

static void act_launch(struct sc_applied *a, struct sc_op *op)
{
	uint64_t *has_early = sc_u64_map_get(&a->early, op->stream);
	bool is_early = op->flags & SC_FLAG_PROGRAMMATIC;
	struct sc_edit *e = is_early && !*has_early ? edit_of(a, op->object) : NULL;

	*has_early = is_early && !e && (*has_early || !waits(a, op->object));
	if (!e)
		return;
	op->flags &= ~(uint32_t)SC_FLAG_PROGRAMMATIC;
	e->calls++;
}

/* Streams have no such keys. */
static uint64_t key_of(uint32_t exec, uint32_t index)
{
	return UINT64_C(1) << 63 | (uint64_t)exec << 32 | index;
}

/* True if nothing that a node begins before has to be waited for by others. */
static bool is_settled(const struct sc_applied *a, uint32_t exec, uint32_t index)
{
	const uint64_t *early = sc_u64_map_find(&a->early, key_of(exec, index));

	return early && !*early;
}

static void act_node(struct sc_applied *a, const struct sc_op *op, const struct sc_node *node,
		     size_t count)
{
	const struct sc_dependency *d = (const void *)(node + 1);
	const struct sc_edge_node *used[2];
	struct sc_edit *e = edit_of(a, op->object);
	size_t early = 0, settled = 0;

	for (size_t i = 0; i < count; i++) {
		early += d[i].port != 0;
		settled += d[i].port != 0 && is_settled(a, op->peer, d[i].node);
	}
	if (early && (!e || settled < early)) {
		*sc_u64_map_get(&a->early, key_of(op->peer, node->index)) |=
			settled < early || !waits(a, op->object);
		return;
	}
	*sc_u64_map_get(&a->early, key_of(op->peer, node->index)) |= 0;
	for (size_t i = 0; early && i < count; i++)
		if (d[i].port &&
		    sc_edges_add(&a->edges, &a->splice, op, d[i].node, node->index, used))
			e->calls++;
}

void sc_kernel_wait_act(struct sc_applied *a, struct sc_record *r)
{
	uint32_t bytes = 0;
	const struct sc_node *node = sc_record_attachment(r, SC_ATTACH_NODE, &bytes);

	if (!(r->op.flags & (SC_FLAG_NODE | SC_FLAG_CAPTURED)))
		act_launch(a, &r->op);
	else if (node && bytes >= sizeof(*node) && !(node->flags & SC_NODE_UPDATE))
		act_node(a, &r->op, node, (bytes - sizeof(*node)) / sizeof(struct sc_dependency));
}
