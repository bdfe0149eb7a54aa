/* Edges: nodes by number, and the ancestors between which a dependency may stand. */
#include "extensions/repair/planner/edges.h"

static uint64_t key_of(uint32_t exec, uint32_t index)
{
	return (uint64_t)exec << 32 | index;
}

void sc_edges_renew(struct sc_added_edges *e, uint32_t exec, uint64_t place)
{
	*sc_u64_map_get(&e->contents, exec) = place;
}

static const struct sc_edge_node *find(const struct sc_added_edges *e, uint32_t exec,
				       uint32_t index)
{
	const uint64_t *number = sc_u64_map_find(&e->by_number, key_of(exec, index));
	const uint64_t *content = sc_u64_map_find(&e->contents, exec);
	const struct sc_edge_node *n = number ? &e->nodes.items[*number - 1] : NULL;

	return n && (!content || n->place > *content) ? n : NULL;
}

bool sc_edges_note(struct sc_added_edges *e, const struct sc_record *r, uint32_t *index)
{
	uint32_t bytes = 0;
	const struct sc_node *node = sc_record_attachment(r, SC_ATTACH_NODE, &bytes);

	if (!node || bytes < sizeof(*node) || node->flags & (SC_NODE_UPDATE | SC_NODE_MORE))
		return 0;
	*index = node->index;
	if (find(e, r->op.peer, node->index))
		return 0; /* new parameters */
	sc_vector_push(&e->nodes, ((struct sc_edge_node){r->op.peer, node->index, node->parent,
							 node->body, r->op.stack, r->sequence}));
	*sc_u64_map_get(&e->by_number, key_of(r->op.peer, node->index)) = e->nodes.count;
	return 1;
}

/* The node that another one runs inside of; parents have lower numbers than what is in them. */
static const struct sc_edge_node *parent_of(const struct sc_added_edges *e,
					    const struct sc_edge_node *n)
{
	const struct sc_edge_node *parent = n->parent ? find(e, n->exec, n->parent - 1) : NULL;

	return parent && parent->index < n->index ? parent : NULL;
}

static unsigned depth_of(const struct sc_added_edges *e, const struct sc_edge_node *n)
{
	unsigned depth = 0;

	while ((n = parent_of(e, n)))
		depth++;
	return depth;
}

static bool is_beside(const struct sc_edge_node *a, const struct sc_edge_node *b)
{
	return a->parent == b->parent && a->body == b->body;
}

bool sc_edges_add(struct sc_added_edges *e, struct sc_splice *s, const struct sc_op *op,
		  uint32_t first, uint32_t second, const struct sc_edge_node *used[2])
{
	const struct sc_edge_node *a = find(e, op->peer, first), *b = find(e, op->peer, second);
	struct {
		struct sc_node node;
		struct sc_dependency edge;
	} data;

	while (a && b && !is_beside(a, b)) {
		unsigned up = depth_of(e, a), down = depth_of(e, b);

		if (up >= down)
			a = parent_of(e, a);
		if (down >= up && b)
			b = parent_of(e, b);
	}
	if (!a || !b || a == b)
		return 0;
	used[0] = a;
	used[1] = b;
	data.node = (struct sc_node){b->index, b->parent, SC_NODE_MORE, b->body};
	data.edge = (struct sc_dependency){.node = a->index};
	sc_splice_after_with(s, op, SC_ATTACH_NODE, &data, sizeof(data));
	return 1;
}

void sc_edges_fini(struct sc_added_edges *e)
{
	sc_vector_fini(&e->nodes);
	sc_u64_map_fini(&e->by_number);
	sc_u64_map_fini(&e->contents);
}
