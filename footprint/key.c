/* The key of a launch: which bytes of the parameters decide what a kernel touches. */
#include <stdbool.h>
#include <string.h>

#include "footprint/kernel.h"
#include "base/heap.h"

#define ROUNDS 8 /* of passing bases on around loops; beyond, every node has one */

/* A node to look at, and what for. */
struct visit {
	uint32_t node;
	uint8_t use;
	uint8_t bits; /* of LOW: how many */
};

typedef SC_VECTOR(struct visit) visit_list;

static const struct sc_value_node *node_at(const struct sc_footprint_kernel *k, uint32_t node)
{
	return &k->graph.nodes.items[node];
}

static void visit(struct sc_footprint_kernel *k, visit_list *work, uint32_t node, struct visit like)
{
	if (!node || (k->uses[node] & like.use && k->low_bits[node] >= like.bits))
		return;
	k->uses[node] |= like.use;
	if (like.bits > k->low_bits[node])
		k->low_bits[node] = like.bits;
	like.node = node;
	sc_vector_push(work, like);
}

/* True if the low bits of the node's result depend only on the low bits of its operands. */
static bool keeps_low_bits(const struct sc_footprint_kernel *k, const struct sc_value_node *n)
{
	switch (n->op) {
	case SC_NODE_ADD:
	case SC_NODE_SUB:
	case SC_NODE_MUL:
	case SC_NODE_AND:
	case SC_NODE_OR:
	case SC_NODE_XOR: return 1;
	case SC_NODE_TRUNCATE: return n->bits >= SC_LOW_BITS;
	case SC_NODE_SHL: return node_at(k, n->b)->op == SC_NODE_CONST;
	default: return 0;
	}
}

/* Bits of an AND with a small constant, or 0. */
static uint8_t mask_bits(const struct sc_footprint_kernel *k, const struct sc_value_node *n)
{
	const struct sc_value_node *mask;
	uint8_t bits = 0;

	if (n->op != SC_NODE_AND)
		return 0;
	mask = node_at(k, n->b)->op == SC_NODE_CONST ? node_at(k, n->b) : node_at(k, n->a);
	if (mask->op != SC_NODE_CONST || mask->value < 0 || mask->value >> SC_LOW_BITS)
		return 0;
	while (mask->value >> bits)
		bits++;
	return bits;
}

unsigned sc_key_low_bits(const struct sc_footprint_kernel *k, uint32_t node)
{
	if (k->uses[node] == SC_USE_LOW && keeps_low_bits(k, node_at(k, node)))
		return k->low_bits[node];
	return mask_bits(k, node_at(k, node));
}

/* What a node that is used in one way makes of its operands. */
static struct visit use_of_operands(const struct sc_footprint_kernel *k, struct visit from)
{
	static const struct visit value = {.use = SC_USE_VALUE};
	const struct sc_value_node *n = node_at(k, from.node);
	uint8_t bits = mask_bits(k, n);

	if (bits)
		return (struct visit){.use = SC_USE_LOW, .bits = bits};
	if (from.use == SC_USE_LOW)
		return keeps_low_bits(k, n) ? from : value;
	if (from.use == SC_USE_ADDRESS && (n->op == SC_NODE_ADD || n->op == SC_NODE_SUB ||
					   n->op == SC_NODE_PHI || n->op == SC_NODE_SELECT))
		return from;
	return value;
}

static void visit_operands(struct sc_footprint_kernel *k, visit_list *work, struct visit from)
{
	const struct sc_value_node *n = node_at(k, from.node);
	struct visit use = use_of_operands(k, from), value = {.use = SC_USE_VALUE};

	if (n->op < SC_NODE_ADD)
		return;
	if (n->op == SC_NODE_PHI) {
		for (uint32_t i = 0; i < n->b; i++)
			visit(k, work, k->graph.phi_args.items[n->a + i], use);
		return;
	}
	visit(k, work, n->a, n->op == SC_NODE_SELECT ? value : use);
	visit(k, work, n->b, n->op == SC_NODE_SUB && use.use == SC_USE_ADDRESS ? value : use);
	if (n->op == SC_NODE_SELECT)
		visit(k, work, n->c, use);
}

/* Marks what addresses and conditions are computed from. */
static void find_uses(struct sc_footprint_kernel *k)
{
	static const struct visit address = {.use = SC_USE_ADDRESS}, value = {.use = SC_USE_VALUE};
	visit_list work = {0};

	for (size_t i = 0; i < k->graph.sites.count; i++) {
		const struct sc_memory_site *s = &k->graph.sites.items[i];

		visit(k, &work, s->address, address);
		visit(k, &work, s->guard, value);
		visit(k, &work, s->size, value);
		visit(k, &work, s->pitch, value);
	}
	for (size_t i = 0; i < k->graph.conditions.count; i++)
		visit(k, &work, k->graph.conditions.items[i], value);
	while (work.count) {
		struct visit next = work.items[--work.count];

		visit_operands(k, &work, next);
	}
	sc_vector_fini(&work);
}

/* The offsets of parameters that are declared or treated as pointers. */
static void find_pointers(struct sc_footprint_kernel *k)
{
	const struct sc_function *f = k->function;

	for (uint32_t i = 0; i < f->param_count; i++) {
		const struct sc_ptx_symbol *s = &k->module->ptx.symbols.items[f->param_first + i];

		if (s->is_pointer)
			*sc_u64_map_get(&k->pointers, s->offset) = 1;
	}
	for (uint32_t i = 1; i < k->graph.nodes.count; i++)
		if (node_at(k, i)->op == SC_NODE_PARAM && node_at(k, i)->aux)
			*sc_u64_map_get(&k->pointers, node_at(k, i)->a) = 1;
}

/* True if the value of an address's summand may contain a parameter of pointer size, or a
 * variable's address. */
static bool has_base(const struct sc_footprint_kernel *k, const bool *bases, uint32_t node)
{
	const struct sc_value_node *n = node_at(k, node);

	switch (n->op) {
	case SC_NODE_PARAM: return n->b == 8;
	case SC_NODE_SYMBOL: return 1;
	case SC_NODE_ADD: return bases[n->a] || bases[n->b];
	case SC_NODE_SUB: return bases[n->a];
	case SC_NODE_SELECT: return bases[n->b] || bases[n->c];
	case SC_NODE_PHI:
		for (uint32_t i = 0; i < n->b; i++)
			if (bases[k->graph.phi_args.items[n->a + i]])
				return 1;
		return 0;
	default: return 0; /* only its number counts */
	}
}

static bool *find_bases(const struct sc_footprint_kernel *k)
{
	uint32_t count = (uint32_t)k->graph.nodes.count;
	bool *bases = sc_heap_xcalloc(count, sizeof(*bases)), changed = 1;

	for (unsigned round = 0; changed && round < ROUNDS; round++) {
		changed = 0;
		for (uint32_t i = 1; i < count; i++)
			if (k->uses[i] & SC_USE_ADDRESS && !bases[i] && has_base(k, bases, i))
				changed = bases[i] = 1;
	}
	if (changed)
		memset(bases, 1, count * sizeof(*bases));
	return bases;
}

/* Where two nodes may be the base of one address, their values decide which of them is the base
 * (SC_USE_RIVAL). */
static void find_rivals(struct sc_footprint_kernel *k)
{
	static const struct visit rival = {.use = SC_USE_RIVAL};
	bool *bases = find_bases(k);
	visit_list work = {0};

	for (uint32_t i = 1; i < k->graph.nodes.count; i++) {
		const struct sc_value_node *n = node_at(k, i);

		if (n->op == SC_NODE_ADD && k->uses[i] & SC_USE_ADDRESS && bases[n->a] &&
		    bases[n->b]) {
			visit(k, &work, n->a, rival);
			visit(k, &work, n->b, rival);
		}
	}
	while (work.count) {
		const struct sc_value_node *n = node_at(k, work.items[--work.count].node);
		bool is_sum = n->op == SC_NODE_ADD || n->op == SC_NODE_SUB;

		for (uint32_t i = 0; n->op == SC_NODE_PHI && i < n->b; i++)
			visit(k, &work, k->graph.phi_args.items[n->a + i], rival);
		if (is_sum)
			visit(k, &work, n->a, rival);
		if (n->op == SC_NODE_ADD || n->op == SC_NODE_SELECT)
			visit(k, &work, n->b, rival);
		if (n->op == SC_NODE_SELECT)
			visit(k, &work, n->c, rival);
	}
	sc_vector_fini(&work);
	free(bases);
}

/* What of a parameter matters: all bits, the low ones, or none. */
static uint64_t mask_of(const struct sc_footprint_kernel *k, uint32_t node)
{
	const struct sc_value_node *n = node_at(k, node);
	unsigned use = k->uses[node];

	if (use & SC_USE_VALUE || n->b < 8 ||
	    (use & SC_USE_RIVAL && !sc_u64_map_find(&k->pointers, n->a)))
		return UINT64_MAX;
	return use & SC_USE_LOW ? (UINT64_C(1) << k->low_bits[node]) - 1 : 0;
}

static void add_part(struct sc_footprint_kernel *k, struct sc_u64_map *known,
		     struct sc_key_part part)
{
	uint64_t *place = sc_u64_map_get(known, (uint64_t)part.offset << 32 | part.bytes);

	if (*place) {
		k->key.items[*place - 1].mask |= part.mask;
		return;
	}
	sc_vector_push(&k->key, part);
	*place = k->key.count;
}

void sc_key_make(struct sc_footprint_kernel *k)
{
	struct sc_u64_map known = {0};

	k->uses = sc_heap_xcalloc(k->graph.nodes.count, sizeof(*k->uses));
	k->low_bits = sc_heap_xcalloc(k->graph.nodes.count, sizeof(*k->low_bits));
	find_uses(k);
	find_rivals(k);
	find_pointers(k);
	for (uint32_t i = 1; i < k->graph.nodes.count; i++) {
		const struct sc_value_node *n = node_at(k, i);
		struct sc_key_part part = {.offset = n->a, .bytes = n->b};

		if (n->op != SC_NODE_PARAM || !k->uses[i])
			continue;
		part.mask = mask_of(k, i);
		if (part.mask)
			add_part(k, &known, part);
	}
	sc_u64_map_fini(&known);
}
