/* The value graph of a kernel: static single assignment over flat code. */
#include "footprint/graph.h"

#include <stdbool.h>
#include <string.h>

#include "footprint/build.h"
#include "base/heap.h"

#define FORWARD_ROUNDS 16 /* phis that need more rounds to vanish stay, which costs precision */
#define HOPS	       8  /* a way up through blocks is remembered every so many of them */
#define STEPS	       4000000 /* blocks looked into for values of registers */
#define PHI_ARGS       4000000

static uint32_t add_node(struct sc_builder *b, struct sc_value_node n)
{
	n.block = b->block;
	if (b->g->nodes.count >= SC_GRAPH_NODES) {
		b->g->cut = 1;
		return 0;
	}
	sc_vector_push(&b->g->nodes, n);
	return (uint32_t)(b->g->nodes.count - 1);
}

static bool is_const(const struct sc_builder *b, uint32_t node)
{
	return b->g->nodes.items[node].op == SC_NODE_CONST;
}

uint32_t sc_build_node(struct sc_builder *b, struct sc_value_node n)
{
	const struct sc_value_node *x = &b->g->nodes.items[n.a];
	const struct sc_value_node *y = &b->g->nodes.items[n.b];

	if (n.op == SC_NODE_ADD && x->op == SC_NODE_SYMBOL && y->op == SC_NODE_CONST) {
		struct sc_value_node symbol = *x;

		symbol.value = (int64_t)((uint64_t)symbol.value + (uint64_t)y->value);
		return add_node(b, symbol);
	}
	if ((n.op == SC_NODE_ADD || n.op == SC_NODE_SUB || n.op == SC_NODE_SHL) &&
	    y->op == SC_NODE_CONST && !y->value && x->bits == n.bits)
		return n.a;
	return add_node(b, n);
}

static int64_t sign_extend(int64_t value, unsigned bits)
{
	if (bits >= 64 || !bits)
		return value;
	return (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

uint32_t sc_build_const(struct sc_builder *b, unsigned bits, int64_t value)
{
	if (bits == 1)
		value = value != 0;
	else
		value = sign_extend(value, bits);
	return add_node(b, (struct sc_value_node){
				   .op = SC_NODE_CONST, .bits = (uint8_t)bits, .value = value});
}

uint32_t sc_build_opaque(struct sc_builder *b, unsigned bits, enum sc_footprint_reason reason)
{
	return add_node(b, (struct sc_value_node){.op = SC_NODE_OPAQUE,
						  .bits = (uint8_t)(bits > 64 ? 64 : bits),
						  .aux = (uint8_t)reason,
						  .value = -1});
}

uint32_t sc_build_binary(struct sc_builder *b, enum sc_node_op op, unsigned bits, bool is_signed,
			 uint32_t x, uint32_t y)
{
	return sc_build_node(b, (struct sc_value_node){.op = (uint8_t)op,
						       .bits = (uint8_t)bits,
						       .is_signed = is_signed,
						       .a = x,
						       .b = y});
}

uint32_t sc_build_resize(struct sc_builder *b, uint32_t node, unsigned bits, bool is_signed)
{
	unsigned from = b->g->nodes.items[node].bits;
	struct sc_value_node n = {.bits = (uint8_t)bits, .is_signed = is_signed, .a = node};

	if (from == bits)
		return node;
	if (from == 1 || bits == 1 || bits > 64)
		return sc_build_opaque(b, bits, SC_REASON_NONLINEAR);
	if (is_const(b, node))
		return sc_build_const(b, bits,
				      is_signed || from > bits || from >= 64
					      ? b->g->nodes.items[node].value
					      : b->g->nodes.items[node].value &
							(int64_t)((UINT64_C(1) << from) - 1));
	n.op = from < bits ? SC_NODE_EXTEND : SC_NODE_TRUNCATE;
	return sc_build_node(b, n);
}

static uint64_t slot(uint32_t block, uint32_t reg)
{
	return (uint64_t)block << 32 | reg;
}

static unsigned register_bits(const struct sc_builder *b, uint32_t reg)
{
	unsigned bits = sc_type_bits(b->flat->f.registers.items[reg]);

	return bits > 64 || !bits ? 64 : bits;
}

static uint32_t add_phi(struct sc_builder *b, uint32_t block, uint32_t reg)
{
	uint32_t node, current = b->block;

	b->block = block;
	node = add_node(b, (struct sc_value_node){.op = SC_NODE_PHI,
						  .bits = (uint8_t)register_bits(b, reg)});
	b->block = current;
	sc_vector_push(&b->phis, slot(block, reg));
	sc_vector_push(&b->phi_nodes, node);
	return node;
}

/* Value of the register at the end of the block, if it is known or begins there; else 0. */
static uint32_t value_at(struct sc_builder *b, uint32_t block, uint32_t reg)
{
	const struct sc_block *where = &b->flow->blocks.items[block];
	const uint64_t *found = sc_u64_map_find(&b->values, slot(block, reg));

	if (found)
		return (uint32_t)*found;
	if (b->g->cut || !where->pred_count)
		return sc_build_opaque(b, register_bits(b, reg), SC_REASON_NONLINEAR);
	return where->pred_count > 1 ? add_phi(b, block, reg) : 0;
}

uint32_t sc_build_read(struct sc_builder *b, uint32_t block, uint32_t reg)
{
	uint32_t passed[HOPS * 2], count = 0, at = block, hops = 0, node;

	while (!(node = value_at(b, at, reg)) && !b->g->cut) {
		if (count < HOPS * 2 && !(hops++ % HOPS))
			passed[count++] = at;
		at = b->flow->edges
			     .items[b->flow->pred_edges.items[b->flow->blocks.items[at].pred_first]]
			     .from;
		b->g->cut |= !b->steps;
		b->steps -= b->steps != 0;
	}
	*sc_u64_map_get(&b->values, slot(at, reg)) = node;
	while (count-- > 0)
		*sc_u64_map_get(&b->values, slot(passed[count], reg)) = node;
	return node;
}

void sc_build_write(struct sc_builder *b, const struct sc_instruction *in,
		    const struct sc_ptx_operand *to, uint32_t node, bool is_signed)
{
	unsigned bits;

	if (to->kind != SC_OPERAND_REGISTER)
		return;
	bits = register_bits(b, to->id);
	node = to->partial ? sc_build_opaque(b, bits, SC_REASON_NONLINEAR)
			   : sc_build_resize(b, node, bits, is_signed);
	if (in->guard) {
		uint32_t old = sc_build_read(b, b->block, to->id);
		uint32_t guard = sc_build_read(b, b->block, in->guard - 1);
		struct sc_value_node n = {.op = SC_NODE_SELECT, .bits = (uint8_t)bits, .a = guard};

		n.b = in->guard_negated ? old : node;
		n.c = in->guard_negated ? node : old;
		node = sc_build_node(b, n);
	}
	*sc_u64_map_get(&b->values, slot(b->block, to->id)) = node;
}

enum leaf {
	LEAF_TID,
	LEAF_CTAID,
	LEAF_NTID,
	LEAF_NCTAID,
	LEAF_CLUSTERID,
	LEAF_NCLUSTERID,
	LEAF_LANE,
	LEAF_SHARED_BYTES,
	LEAF_WARP_SIZE
};

/* Whether the launch's grid says what the leaf is. It counts blocks, or clusters. Kernels that were
 * compiled from Tile IR have clusters of one block if they do not say otherwise; any other kernel
 * may be launched with clusters. */
static bool is_of_launch(const struct sc_builder *b, enum leaf leaf)
{
	if (leaf == LEAF_CTAID || leaf == LEAF_NCTAID)
		return b->kernel->clusters != SC_CLUSTERS_COUNTED;
	if (leaf != LEAF_CLUSTERID && leaf != LEAF_NCLUSTERID)
		return 1;
	return b->kernel->clusters == SC_CLUSTERS_COUNTED ||
	       (!b->kernel->clusters && sc_ptx_is_tiled(b->m));
}

static uint32_t special_node(struct sc_builder *b, uint32_t special)
{
	static const struct {
		uint8_t leaf, dimension;
	} leaves[] = {
#define SPECIAL(id, text, leaf, dimension) {LEAF_##leaf, dimension},
#include "ptx/special.def"
#undef SPECIAL
	};
	static const uint8_t ops[] = {SC_NODE_TID,    SC_NODE_CTAID,	   SC_NODE_NTID,
				      SC_NODE_NCTAID, SC_NODE_CTAID,	   SC_NODE_NCTAID,
				      SC_NODE_LANE,   SC_NODE_SHARED_BYTES};
	struct sc_value_node n = {.bits = 32, .aux = leaves[special].dimension};

	if (!is_of_launch(b, leaves[special].leaf))
		return sc_build_opaque(b, 32, SC_REASON_SPECIAL);
	if (leaves[special].leaf == LEAF_WARP_SIZE)
		return sc_build_const(b, 32, 32);
	n.op = ops[leaves[special].leaf];
	return add_node(b, n);
}

uint32_t sc_build_operand(struct sc_builder *b, const struct sc_ptx_operand *o, unsigned bits)
{
	struct sc_value_node symbol = {.op = SC_NODE_SYMBOL, .bits = (uint8_t)bits};
	uint32_t node = 0;

	if (o->kind == SC_OPERAND_INTEGER)
		return sc_build_const(b, bits, o->value);
	if (o->kind == SC_OPERAND_REGISTER && !o->partial && !o->value &&
	    !b->flat->unknown.items[o->id])
		node = sc_build_read(b, b->block, o->id);
	if (o->kind == SC_OPERAND_SPECIAL)
		node = sc_build_resize(b, special_node(b, o->id), bits, 0);
	if (o->kind == SC_OPERAND_SYMBOL) {
		symbol.a = o->id;
		symbol.value = o->value;
		return add_node(b, symbol);
	}
	if (!node || b->g->nodes.items[node].bits < bits)
		return sc_build_opaque(b, bits, SC_REASON_SPECIAL);
	return sc_build_resize(b, node, bits, 0);
}

uint32_t sc_build_address(struct sc_builder *b, const struct sc_ptx_operand *address)
{
	const struct sc_ptx_operand *base = &b->flat->f.operands.items[address->id];
	struct sc_ptx_operand symbol;
	uint32_t node;

	if (!address->count)
		return sc_build_opaque(b, 64, SC_REASON_POINTER);
	if (base->kind == SC_OPERAND_SYMBOL) {
		symbol = *base;
		symbol.value = address->value;
		return sc_build_operand(b, &symbol, 64);
	}
	if (base->kind == SC_OPERAND_REGISTER && register_bits(b, base->id) < 64)
		return sc_build_resize(b, sc_build_operand(b, base, 32), 64, 0);
	node = sc_build_operand(b, base, 64);
	return sc_build_binary(b, SC_NODE_ADD, 64, 0, node, sc_build_const(b, 64, address->value));
}

void sc_build_forget(struct sc_builder *b, const struct sc_instruction *in,
		     enum sc_footprint_reason reason)
{
	const struct sc_ptx_operand *to = &b->flat->f.operands.items[in->first];
	uint32_t count = 1;

	if (!in->count)
		return;
	if (to->kind == SC_OPERAND_VECTOR) {
		count = to->count;
		to = &b->flat->f.operands.items[to->id];
	}
	for (uint32_t i = 0; i < count; i++)
		if (to[i].kind == SC_OPERAND_REGISTER)
			sc_build_write(b, in, &to[i],
				       sc_build_opaque(b, register_bits(b, to[i].id), reason), 0);
}

static void build_control(struct sc_builder *b, const struct sc_instruction *in)
{
	if (in->opcode == SC_PTX_CALL) {
		if (in->rows == SC_CALL_UNKNOWN)
			sc_build_unknown_site(b, in, SC_FOOTPRINT_READ | SC_FOOTPRINT_WRITE,
					      SC_REASON_CALL);
		sc_build_forget(b, in, SC_REASON_CALL);
	} else if (in->guard) {
		b->g->conditions.items[b->block] = sc_build_read(b, b->block, in->guard - 1);
		b->g->negated.items[b->block] = in->guard_negated;
	}
}

static void build_texture(struct sc_builder *b, const struct sc_instruction *in)
{
	unsigned mode;

	switch (in->opcode) {
	case SC_PTX_SULD: mode = SC_FOOTPRINT_SURFACE | SC_FOOTPRINT_READ; break;
	case SC_PTX_SUST: mode = SC_FOOTPRINT_SURFACE | SC_FOOTPRINT_WRITE; break;
	case SC_PTX_SURED: mode = SC_FOOTPRINT_SURFACE | SC_FOOTPRINT_ATOMIC; break;
	default: mode = SC_FOOTPRINT_TEXTURE | SC_FOOTPRINT_READ; break;
	}
	sc_build_object_site(b, in, mode);
	sc_build_forget(b, in, SC_REASON_LOADED);
}

static void build_instruction(struct sc_builder *b, const struct sc_instruction *in)
{
	switch (sc_opcode_class(in->opcode)) {
	case SC_PTX_CLASS_VALUE:
		if (!sc_build_value(b, in))
			sc_build_memory(b, in);
		return;
	case SC_PTX_CLASS_MEMORY: sc_build_memory(b, in); return;
	case SC_PTX_CLASS_TEXTURE: build_texture(b, in); return;
	case SC_PTX_CLASS_CONTROL: build_control(b, in); return;
	case SC_PTX_CLASS_QUIET: sc_build_forget(b, in, SC_REASON_LOADED); return;
	}
}

/* Phis get their arguments when all blocks are known; that may make more phis. */
static void fill_phis(struct sc_builder *b)
{
	for (size_t i = 0; i < b->phis.count && !b->g->cut; i++) {
		uint32_t block = (uint32_t)(b->phis.items[i] >> 32);
		uint32_t reg = (uint32_t)b->phis.items[i];
		const struct sc_block *where = &b->flow->blocks.items[block];
		uint32_t first = (uint32_t)b->g->phi_args.count;

		if (first > PHI_ARGS) {
			b->g->cut = 1;
			return;
		}
		sc_vector_reserve(&b->g->phi_args, where->pred_count);
		b->g->phi_args.count += where->pred_count;
		for (uint32_t e = 0; e < where->pred_count; e++) {
			uint32_t from =
				b->flow->edges
					.items[b->flow->pred_edges.items[where->pred_first + e]]
					.from;
			uint32_t value = sc_build_read(b, from, reg);

			b->g->phi_args.items[first + e] = value;
		}
		b->g->nodes.items[b->phi_nodes.items[i]].a = first;
		b->g->nodes.items[b->phi_nodes.items[i]].b = where->pred_count;
	}
}

static uint32_t follow(uint32_t *forward, uint32_t node)
{
	while (forward[node] != node) {
		forward[node] = forward[forward[node]];
		node = forward[node];
	}
	return node;
}

/* The only value that a phi can have, or 0. */
static uint32_t only_value(const struct sc_value_graph *g, uint32_t *forward, uint32_t phi)
{
	const struct sc_value_node *n = &g->nodes.items[phi];
	uint32_t only = 0;

	for (uint32_t i = 0; i < n->b; i++) {
		uint32_t value = follow(forward, g->phi_args.items[n->a + i]);

		if (value == phi || value == only)
			continue;
		if (only)
			return 0;
		only = value;
	}
	return only;
}

static void rewrite(struct sc_value_graph *g, uint32_t *forward)
{
	for (size_t i = 1; i < g->nodes.count; i++) {
		struct sc_value_node *n = &g->nodes.items[i];

		if (n->op < SC_NODE_ADD || n->op == SC_NODE_PHI)
			continue;
		n->a = follow(forward, n->a);
		n->b = follow(forward, n->b);
		n->c = follow(forward, n->c);
	}
	for (size_t i = 0; i < g->phi_args.count; i++)
		g->phi_args.items[i] = follow(forward, g->phi_args.items[i]);
	for (size_t i = 0; i < g->conditions.count; i++)
		g->conditions.items[i] = follow(forward, g->conditions.items[i]);
	for (size_t i = 0; i < g->sites.count; i++) {
		struct sc_memory_site *s = &g->sites.items[i];

		s->address = follow(forward, s->address);
		s->guard = follow(forward, s->guard);
		s->size = follow(forward, s->size);
		s->pitch = follow(forward, s->pitch);
	}
}

/* Replaces phis that have one value by that value. */
static void drop_phis(struct sc_builder *b)
{
	uint32_t *forward = sc_heap_xcalloc(b->g->nodes.count, sizeof(*forward));
	bool changed = 1;

	for (uint32_t i = 0; i < b->g->nodes.count; i++)
		forward[i] = i;
	for (unsigned round = 0; changed && round < FORWARD_ROUNDS; round++) {
		changed = 0;
		for (size_t i = 0; i < b->phi_nodes.count; i++) {
			uint32_t phi = b->phi_nodes.items[i];
			uint32_t only = forward[phi] == phi ? only_value(b->g, forward, phi) : 0;

			if (only) {
				forward[phi] = only;
				changed = 1;
			}
		}
	}
	rewrite(b->g, forward);
	free(forward);
}

void sc_graph_make(struct sc_value_graph *g, const struct sc_ptx *m,
		   const struct sc_function *kernel, const struct sc_flat *flat,
		   const struct sc_flow *flow)
{
	struct sc_builder b = {
		.g = g, .m = m, .kernel = kernel, .flat = flat, .flow = flow, .steps = STEPS};

	memset(g, 0, sizeof(*g));
	sc_grid_waits_make(&b.waits, m, flat, flow);
	g->waits = b.waits.has_wait;
	g->early_trigger = b.waits.has_early_trigger;
	sc_build_opaque(&b, 64, SC_REASON_NONLINEAR);
	for (size_t i = 0; i < flow->blocks.count; i++) {
		sc_vector_push(&g->conditions, 0);
		sc_vector_push(&g->negated, 0);
	}
	for (uint32_t i = 0; i < flow->blocks.count && !g->cut; i++) {
		b.block = i;
		b.waited = b.waits.at_entry[i];
		for (uint32_t at = flow->blocks.items[i].first; at < flow->blocks.items[i].end;
		     at++) {
			build_instruction(&b, &flat->f.code.items[at]);
			b.waited = sc_grid_pass(m, &flat->f.code.items[at], b.waited);
		}
	}
	fill_phis(&b);
	if (!g->cut)
		drop_phis(&b);
	g->steps = STEPS - b.steps;
	sc_u64_map_fini(&b.values);
	sc_vector_fini(&b.phis);
	sc_vector_fini(&b.phi_nodes);
	sc_grid_waits_fini(&b.waits);
}

void sc_graph_fini(struct sc_value_graph *g)
{
	sc_vector_fini(&g->nodes);
	sc_vector_fini(&g->phi_args);
	sc_vector_fini(&g->sites);
	sc_vector_fini(&g->conditions);
	sc_vector_fini(&g->negated);
}
