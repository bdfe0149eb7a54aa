/* Arithmetic of PTX as nodes of the value graph. */
#include <stdbool.h>
#include "footprint/build.h"

/* What the instructions here have in common, worked out once. */
struct work {
	struct sc_builder *b;
	const struct sc_instruction *in;
	const struct sc_ptx_operand *o; /* operands */
	unsigned bits;
	bool is_signed;
};

static bool is_integer(unsigned type)
{
	enum sc_type_kind kind = sc_type_kind(type);
	unsigned bits = sc_type_bits(type);

	return kind != SC_KIND_FLOAT && kind != SC_KIND_PREDICATE && bits >= 8 && bits <= 64;
}

static uint32_t operand(const struct work *w, uint32_t index, unsigned bits)
{
	uint32_t node = sc_build_operand(w->b, &w->o[index], bits);

	if (bits == 1 && w->o[index].negated)
		node = sc_build_binary(w->b, SC_NODE_NOT, 1, 0, node, 0);
	return node;
}

static bool finish(const struct work *w, uint32_t node)
{
	sc_build_write(w->b, w->in, &w->o[0], node, w->is_signed);
	return 1;
}

static bool forget(const struct work *w)
{
	sc_build_forget(w->b, w->in, SC_REASON_NONLINEAR);
	return 1;
}

static bool build_binary(const struct work *w, enum sc_node_op op)
{
	uint32_t x, y;

	if (w->in->count != 3)
		return forget(w);
	x = operand(w, 1, w->bits);
	y = operand(w, 2, op == SC_NODE_SHL || op == SC_NODE_SHR ? 32 : w->bits);
	return finish(w, sc_build_binary(w->b, op, w->bits, w->is_signed, x, y));
}

/* mul and mad: low half, high half, or wide. */
static bool build_product(const struct work *w, bool adds)
{
	unsigned bits = w->bits;
	uint32_t x, y, product;

	if (w->in->count != (adds ? 4u : 3u))
		return forget(w);
	x = operand(w, 1, bits);
	y = operand(w, 2, bits);
	if (w->in->flags & SC_PART_WIDE) {
		bits *= 2;
		x = sc_build_resize(w->b, x, bits, w->is_signed);
		y = sc_build_resize(w->b, y, bits, w->is_signed);
	}
	product =
		sc_build_binary(w->b, w->in->compare == SC_COMPARE_HI ? SC_NODE_MULHI : SC_NODE_MUL,
				bits, w->is_signed, x, y);
	if (adds)
		product = sc_build_binary(w->b, SC_NODE_ADD, bits, 0, product, operand(w, 3, bits));
	return finish(w, product);
}

static bool build_unary(const struct work *w)
{
	uint32_t x, zero;

	if (w->in->count != 2)
		return forget(w);
	x = operand(w, 1, w->bits);
	zero = sc_build_const(w->b, w->bits, w->in->opcode == SC_PTX_NOT ? -1 : 0);
	zero = sc_build_binary(w->b, SC_NODE_SUB, w->bits, 0, zero, x);
	if (w->in->opcode == SC_PTX_ABS)
		zero = sc_build_binary(w->b, SC_NODE_MAX, w->bits, 1, x, zero);
	return finish(w, zero);
}

static bool build_predicates(const struct work *w)
{
	static const uint8_t ops[SC_PTX_OPCODES] = {[SC_PTX_AND] = SC_NODE_AND,
						    [SC_PTX_OR] = SC_NODE_OR,
						    [SC_PTX_XOR] = SC_NODE_XOR,
						    [SC_PTX_NOT] = SC_NODE_NOT};
	uint32_t x = w->in->count > 1 ? operand(w, 1, 1) : 0;

	if (w->in->opcode == SC_PTX_MOV && w->in->count == 2)
		return finish(w, x);
	if (w->in->opcode == SC_PTX_NOT && w->in->count == 2)
		return finish(w, sc_build_binary(w->b, SC_NODE_NOT, 1, 0, x, 0));
	if (w->in->count != 3 || !ops[w->in->opcode])
		return forget(w);
	return finish(w, sc_build_binary(w->b, ops[w->in->opcode], 1, 0, x, operand(w, 2, 1)));
}

/* mov.b64 {lo, hi}, x */
static bool build_unpack(const struct work *w)
{
	const struct sc_ptx_operand *parts = &w->b->flat->f.operands.items[w->o[0].id];
	unsigned bits = w->o[0].count ? w->bits / w->o[0].count : 0;
	uint32_t whole;

	if (bits < 16 || w->o[1].kind != SC_OPERAND_REGISTER)
		return forget(w);
	whole = operand(w, 1, w->bits);
	for (uint32_t i = 0; i < w->o[0].count; i++) {
		uint32_t part = sc_build_binary(w->b, SC_NODE_SHR, w->bits, 0, whole,
						sc_build_const(w->b, 32, (int64_t)i * bits));

		sc_build_write(w->b, w->in, &parts[i], sc_build_resize(w->b, part, bits, 0), 0);
	}
	return 1;
}

/* mov.b64 x, {lo, hi} */
static bool build_pack(const struct work *w)
{
	const struct sc_ptx_operand *parts = &w->b->flat->f.operands.items[w->o[1].id];
	unsigned bits = w->o[1].count ? w->bits / w->o[1].count : 0;
	uint32_t whole = 0;

	if (bits < 16)
		return forget(w);
	for (uint32_t i = 0; i < w->o[1].count; i++) {
		uint32_t part =
			sc_build_resize(w->b, sc_build_operand(w->b, &parts[i], bits), w->bits, 0);

		part = sc_build_binary(w->b, SC_NODE_SHL, w->bits, 0, part,
				       sc_build_const(w->b, 32, (int64_t)i * bits));
		whole = i ? sc_build_binary(w->b, SC_NODE_OR, w->bits, 0, whole, part) : part;
	}
	return finish(w, whole);
}

static bool build_move(const struct work *w)
{
	if (w->in->count != 2 || w->in->vector > 1 || w->bits > 64)
		return forget(w);
	if (w->o[0].kind == SC_OPERAND_VECTOR)
		return build_unpack(w);
	if (w->o[1].kind == SC_OPERAND_VECTOR)
		return build_pack(w);
	return finish(w, operand(w, 1, w->bits));
}

/* Floating-point registers may carry integers, so plain moves keep the value. */
static bool build_float(const struct work *w)
{
	unsigned bits = sc_type_bits(w->in->type);

	if (w->in->opcode == SC_PTX_MOV && w->in->count == 2 && bits >= 16 && bits <= 64 &&
	    w->o[0].kind == SC_OPERAND_REGISTER && w->o[1].kind == SC_OPERAND_REGISTER)
		return finish(w, operand(w, 1, bits));
	return forget(w);
}

static uint32_t build_comparison(const struct work *w)
{
	struct sc_value_node n = {
		.op = SC_NODE_COMPARE, .bits = 1, .aux = w->in->compare, .is_signed = w->is_signed};

	if (w->in->compare >= SC_COMPARE_LO) {
		static const uint8_t plain[] = {SC_COMPARE_LT, SC_COMPARE_LE, SC_COMPARE_GT,
						SC_COMPARE_GE};

		n.aux = plain[w->in->compare - SC_COMPARE_LO];
		n.is_signed = 0;
	}
	if (!is_integer(w->in->type) || !n.aux)
		return sc_build_opaque(w->b, 1, SC_REASON_LOADED);
	n.a = operand(w, 1, w->bits);
	n.b = operand(w, 2, w->bits);
	return sc_build_node(w->b, n);
}

static uint32_t combine(const struct work *w, uint32_t p)
{
	static const uint8_t ops[] = {0, SC_NODE_AND, SC_NODE_OR, SC_NODE_XOR};

	if (!w->in->boolean || w->in->count != 4)
		return p;
	return sc_build_binary(w->b, ops[w->in->boolean], 1, 0, p, operand(w, 3, 1));
}

static bool build_setp(const struct work *w)
{
	const struct sc_ptx_operand *to = &w->o[0];
	uint32_t p, inverse;

	if (w->in->count < 3)
		return forget(w);
	p = build_comparison(w);
	inverse = sc_build_binary(w->b, SC_NODE_NOT, 1, 0, p, 0);
	if (to->kind != SC_OPERAND_VECTOR) {
		sc_build_write(w->b, w->in, to, combine(w, p), 0);
		return 1;
	}
	to = &w->b->flat->f.operands.items[to->id];
	p = combine(w, p);
	inverse = combine(w, inverse);
	sc_build_write(w->b, w->in, &to[0], p, 0);
	if (w->o[0].count > 1)
		sc_build_write(w->b, w->in, &to[1], inverse, 0);
	return 1;
}

static bool build_select(const struct work *w)
{
	struct sc_value_node n = {.op = SC_NODE_SELECT, .bits = (uint8_t)w->bits};

	if (w->in->count != 4)
		return forget(w);
	n.b = operand(w, 1, w->bits);
	n.c = operand(w, 2, w->bits);
	n.a = operand(w, 3, 1);
	return finish(w, sc_build_node(w->b, n));
}

static bool build_convert(const struct work *w)
{
	unsigned from = w->in->type2;
	struct work result = *w;
	uint32_t node;

	if (w->in->count != 2 || !is_integer(from))
		return forget(w);
	node = operand(w, 1, sc_type_bits(from));
	node = sc_build_resize(w->b, node, w->bits, sc_type_kind(from) == SC_KIND_SIGNED);
	return finish(&result, node);
}

static bool build_extract(const struct work *w)
{
	uint32_t node, mask;

	if (w->in->count != 4 || w->is_signed || w->o[2].kind != SC_OPERAND_INTEGER ||
	    w->o[3].kind != SC_OPERAND_INTEGER || w->o[3].value < 1 || w->o[3].value > 31 ||
	    w->o[2].value < 0 || w->o[2].value > 31)
		return forget(w);
	mask = sc_build_const(w->b, w->bits, (INT64_C(1) << w->o[3].value) - 1);
	node = sc_build_binary(w->b, SC_NODE_SHR, w->bits, 0, operand(w, 1, w->bits),
			       operand(w, 2, 32));
	return finish(w, sc_build_binary(w->b, SC_NODE_AND, w->bits, 0, node, mask));
}

/* Casts between generic and other addresses; a parameter that is cast is a pointer for sure. */
static bool build_address_cast(const struct work *w)
{
	uint32_t node = operand(w, 1, 64);

	if (w->in->flags & SC_PART_TO && w->b->g->nodes.items[node].op == SC_NODE_PARAM)
		w->b->g->nodes.items[node].aux = 1;
	return finish(w, node);
}

static bool build_integer(const struct work *w)
{
	switch (w->in->opcode) {
	case SC_PTX_MOV: return build_move(w);
	case SC_PTX_ADD: return build_binary(w, SC_NODE_ADD);
	case SC_PTX_SUB: return build_binary(w, SC_NODE_SUB);
	case SC_PTX_MUL: return build_product(w, 0);
	case SC_PTX_MAD: return build_product(w, 1);
	case SC_PTX_NEG:
	case SC_PTX_ABS:
	case SC_PTX_NOT: return build_unary(w);
	case SC_PTX_MIN: return build_binary(w, SC_NODE_MIN);
	case SC_PTX_MAX: return build_binary(w, SC_NODE_MAX);
	case SC_PTX_DIV: return build_binary(w, SC_NODE_DIV);
	case SC_PTX_REM: return build_binary(w, SC_NODE_REM);
	case SC_PTX_SHL: return build_binary(w, SC_NODE_SHL);
	case SC_PTX_SHR: return build_binary(w, SC_NODE_SHR);
	case SC_PTX_AND: return build_binary(w, SC_NODE_AND);
	case SC_PTX_OR: return build_binary(w, SC_NODE_OR);
	case SC_PTX_XOR: return build_binary(w, SC_NODE_XOR);
	case SC_PTX_SELP: return build_select(w);
	case SC_PTX_CVT: return build_convert(w);
	case SC_PTX_BFE: return build_extract(w);
	default: return forget(w); /* an opcode outside this file's part of the table */
	}
}

bool sc_build_value(struct sc_builder *b, const struct sc_instruction *in)
{
	struct work w = {.b = b,
			 .in = in,
			 .o = &b->flat->f.operands.items[in->first],
			 .bits = sc_type_bits(in->type),
			 .is_signed = sc_type_kind(in->type) == SC_KIND_SIGNED};

	if (in->opcode == SC_PTX_OTHER)
		return 0;
	if (in->opcode == SC_PTX_CVTA && in->count == 2)
		return build_address_cast(&w);
	if (!in->count || in->flags & SC_PART_ODD)
		return forget(&w);
	if (in->opcode == SC_PTX_SETP)
		return build_setp(&w);
	if (in->type == SC_TYPE_PRED)
		return build_predicates(&w);
	if (!is_integer(in->type))
		return build_float(&w);
	return build_integer(&w);
}
