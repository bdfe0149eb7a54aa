/* Arithmetic on the real numbers of one thread, node by node. */
#include <stdbool.h>
#include <string.h>

#include "footprint/walk.h"

static const struct sc_value unknown;

static const struct sc_value_node *node_at(const struct sc_walk *w, uint32_t node)
{
	return &w->k->graph.nodes.items[node];
}

static uint64_t cut(uint64_t number, unsigned bits)
{
	return bits >= 64 ? number : number & ((UINT64_C(1) << bits) - 1);
}

static int64_t as_signed(uint64_t number, unsigned bits)
{
	return bits >= 64 ? (int64_t)number : (int64_t)(number << (64 - bits)) >> (64 - bits);
}

static struct sc_value number(uint64_t value, unsigned bits)
{
	return (struct sc_value){.number = cut(value, bits), .kind = SC_VALUE_NUMBER};
}

static bool read_image(const struct sc_walk *w, uint32_t offset, uint32_t bytes, uint64_t *out)
{
	*out = 0;
	if (bytes > 8 || offset > w->launch->param_bytes || bytes > w->launch->param_bytes - offset)
		return 0;
	memcpy(out, (const char *)w->launch->params + offset, bytes);
	return 1;
}

/* The number of a pointer, if the kernel's footprints are distinguished by that number. */
static bool concretize(const struct sc_walk *w, struct sc_value *v)
{
	uint64_t pointer;

	if (v->kind != SC_VALUE_PARAM)
		return v->kind == SC_VALUE_NUMBER;
	for (size_t i = 0; i < w->k->key.count; i++) {
		const struct sc_key_part *part = &w->k->key.items[i];

		if (part->offset != v->base || part->bytes < 8 || part->mask != UINT64_MAX ||
		    !read_image(w, v->base, 8, &pointer))
			continue;
		*v = number(v->number + pointer, 64);
		return 1;
	}
	return 0;
}

static struct sc_value param(const struct sc_walk *w, uint32_t node)
{
	const struct sc_value_node *n = node_at(w, node);
	uint64_t value;

	if (n->b == 8 && w->k->uses[node] & SC_USE_ADDRESS)
		return (struct sc_value){.base = n->a, .kind = SC_VALUE_PARAM};
	return read_image(w, n->a, n->b, &value) ? number(value, n->bits) : unknown;
}

static struct sc_value symbol(const struct sc_walk *w, const struct sc_value_node *n)
{
	unsigned space = w->k->module->ptx.symbols.items[n->a].space;
	bool is_shared = space == SC_SPACE_GLOBAL || space == SC_SPACE_CONST;

	return (struct sc_value){.number = (uint64_t)n->value,
				 .base = n->a,
				 .kind = is_shared ? SC_VALUE_SYMBOL : SC_VALUE_PRIVATE};
}

static uint64_t lane(const struct sc_walk *w)
{
	const uint32_t *block = w->launch->block;

	return (w->thread[0] + (uint64_t)block[0] * w->thread[1] +
		(uint64_t)block[0] * block[1] * w->thread[2]) %
	       32;
}

static struct sc_value leaf(const struct sc_walk *w, uint32_t node)
{
	const struct sc_value_node *n = node_at(w, node);

	switch ((enum sc_node_op)n->op) {
	case SC_NODE_CONST: return number((uint64_t)n->value, n->bits);
	case SC_NODE_PARAM: return param(w, node);
	case SC_NODE_TID: return number(w->thread[n->aux], n->bits);
	case SC_NODE_CTAID: return number(w->thread[3 + n->aux], n->bits);
	case SC_NODE_NTID: return number(w->launch->block[n->aux], n->bits);
	case SC_NODE_NCTAID: return number(w->launch->grid[n->aux], n->bits);
	case SC_NODE_LANE: return number(lane(w), n->bits);
	case SC_NODE_SHARED_BYTES: return number(w->launch->shared_bytes, n->bits);
	case SC_NODE_SYMBOL: return symbol(w, n);
	default: return unknown; /* OPAQUE; all else has operands */
	}
}

static struct sc_value operand(const struct sc_walk *w, uint32_t node)
{
	const struct sc_value_node *n = node_at(w, node);

	if (n->op < SC_NODE_ADD)
		return leaf(w, node);
	return w->slots[node] ? w->values[w->slots[node] - 1] : unknown;
}

static bool is_based(const struct sc_value *v)
{
	return v->kind > SC_VALUE_NUMBER;
}

static bool has_same_base(const struct sc_value *x, const struct sc_value *y)
{
	return is_based(x) && x->kind == y->kind && x->base == y->base;
}

/* Keeps as the pointer the one of two values that is declared or used as a pointer. */
static bool keep_pointer(const struct sc_walk *w, struct sc_value *x, struct sc_value *y)
{
	bool is_x = x->kind != SC_VALUE_PARAM || sc_u64_map_find(&w->k->pointers, x->base);
	bool is_y = y->kind != SC_VALUE_PARAM || sc_u64_map_find(&w->k->pointers, y->base);

	return is_x != is_y && concretize(w, is_x ? y : x);
}

static struct sc_value add(const struct sc_walk *w, unsigned bits, struct sc_value x,
			   struct sc_value y)
{
	if (is_based(&x) && is_based(&y) && !keep_pointer(w, &x, &y))
		return unknown;
	if (is_based(&y)) {
		struct sc_value swap = x;

		x = y;
		y = swap;
	}
	if (is_based(&x) && bits < 64)
		return x.kind == SC_VALUE_PRIVATE ? x : unknown;
	x.number = cut(x.number + y.number, bits);
	return x;
}

static struct sc_value subtract(const struct sc_walk *w, unsigned bits, struct sc_value x,
				struct sc_value y)
{
	if (has_same_base(&x, &y))
		return number(x.number - y.number, bits);
	if (!concretize(w, &y) || (is_based(&x) && bits < 64))
		return unknown;
	x.number = cut(x.number - y.number, bits);
	return x;
}

static struct sc_value divide(const struct sc_value_node *n, uint64_t x, uint64_t y)
{
	bool is_rest = n->op == SC_NODE_REM;
	int64_t a = as_signed(x, n->bits), b = as_signed(y, n->bits);

	if (!y || (n->is_signed && b == -1))
		return !y || is_rest ? (y ? number(0, n->bits) : unknown)
				     : number(0 - (uint64_t)a, n->bits);
	if (n->is_signed)
		return number((uint64_t)(is_rest ? a % b : a / b), n->bits);
	return number(is_rest ? x % y : x / y, n->bits);
}

static struct sc_value shift_right(const struct sc_value_node *n, uint64_t x, uint64_t by)
{
	if (by >= n->bits)
		by = n->is_signed ? n->bits - 1u : 64;
	if (by == 64)
		return number(0, n->bits);
	return number(n->is_signed ? (uint64_t)(as_signed(x, n->bits) >> by) : x >> by, n->bits);
}

static struct sc_value high_half(const struct sc_value_node *n, uint64_t x, uint64_t y)
{
	__int128 product;

	if (!n->is_signed)
		return number((uint64_t)((unsigned __int128)x * y >> n->bits), n->bits);
	product = (__int128)as_signed(x, n->bits) * as_signed(y, n->bits);
	return number((uint64_t)(product >> n->bits), n->bits);
}

static struct sc_value extreme(const struct sc_value_node *n, uint64_t x, uint64_t y)
{
	bool is_less = n->is_signed ? as_signed(x, n->bits) < as_signed(y, n->bits) : x < y;

	return number(is_less == (n->op == SC_NODE_MIN) ? x : y, n->bits);
}

static bool compare(uint8_t how, __int128 x, __int128 y)
{
	switch (how) {
	case SC_COMPARE_EQ: return x == y;
	case SC_COMPARE_NE: return x != y;
	case SC_COMPARE_LT: return x < y;
	case SC_COMPARE_LE: return x <= y;
	case SC_COMPARE_GT: return x > y;
	default: return x >= y; /* the graph has no other comparison */
	}
}

static struct sc_value compare_values(const struct sc_walk *w, const struct sc_value_node *n,
				      struct sc_value x, struct sc_value y)
{
	unsigned bits = node_at(w, n->a)->bits;
	bool is_signed = n->is_signed;

	if (has_same_base(&x, &y))
		is_signed = 1; /* how far they are from one pointer */
	else if (!concretize(w, &x) || !concretize(w, &y))
		return unknown;
	if (is_signed)
		return number(compare(n->aux, as_signed(x.number, bits), as_signed(y.number, bits)),
			      1);
	return number(compare(n->aux, x.number, y.number), 1);
}

/* One of the two may decide alone. */
static struct sc_value combine(const struct sc_walk *w, const struct sc_value_node *n,
			       struct sc_value x, struct sc_value y)
{
	uint64_t decides = n->op == SC_NODE_AND ? 0 : cut(UINT64_MAX, n->bits);
	bool has_x = concretize(w, &x), has_y = concretize(w, &y);

	if (n->op != SC_NODE_XOR &&
	    ((has_x && x.number == decides) || (has_y && y.number == decides)))
		return number(decides, n->bits);
	if (!has_x || !has_y)
		return unknown;
	if (n->op == SC_NODE_XOR)
		return number(x.number ^ y.number, n->bits);
	return number(n->op == SC_NODE_AND ? x.number & y.number : x.number | y.number, n->bits);
}

static struct sc_value select_value(const struct sc_walk *w, const struct sc_value_node *n)
{
	struct sc_value which = operand(w, n->a), x = operand(w, n->b), y = operand(w, n->c);

	if (which.kind == SC_VALUE_NUMBER)
		return which.number ? x : y;
	return sc_value_is_same(&x, &y) ? x : unknown;
}

static struct sc_value resize(const struct sc_walk *w, const struct sc_value_node *n,
			      struct sc_value x)
{
	unsigned from = node_at(w, n->a)->bits;

	if (x.kind == SC_VALUE_PRIVATE)
		return x;
	if (!concretize(w, &x))
		return unknown;
	if (n->op == SC_NODE_EXTEND && n->is_signed)
		x.number = (uint64_t)as_signed(x.number, from);
	return number(x.number, n->bits);
}

static struct sc_value calculate(const struct sc_value_node *n, uint64_t x, uint64_t y)
{
	switch ((enum sc_node_op)n->op) {
	case SC_NODE_MUL: return number(x * y, n->bits);
	case SC_NODE_MULHI: return high_half(n, x, y);
	case SC_NODE_DIV:
	case SC_NODE_REM: return divide(n, x, y);
	case SC_NODE_SHL: return number(y >= n->bits ? 0 : x << y, n->bits);
	case SC_NODE_SHR: return shift_right(n, x, y);
	case SC_NODE_MIN:
	case SC_NODE_MAX: return extreme(n, x, y);
	default: return unknown; /* all others have functions of their own */
	}
}

struct sc_value sc_value_of(const struct sc_walk *w, uint32_t node)
{
	const struct sc_value_node *n = node_at(w, node);
	struct sc_value x, y;

	if (n->op < SC_NODE_ADD)
		return leaf(w, node);
	if (n->op == SC_NODE_SELECT)
		return select_value(w, n);
	x = operand(w, n->a);
	if (n->op == SC_NODE_EXTEND || n->op == SC_NODE_TRUNCATE)
		return resize(w, n, x);
	if (n->op == SC_NODE_NOT)
		return x.kind == SC_VALUE_NUMBER ? number(~x.number, n->bits) : unknown;
	y = operand(w, n->b);
	if (n->op == SC_NODE_AND || n->op == SC_NODE_OR || n->op == SC_NODE_XOR)
		return combine(w, n, x, y);
	if (!x.kind || !y.kind)
		return unknown;
	if (n->op == SC_NODE_ADD)
		return add(w, n->bits, x, y);
	if (n->op == SC_NODE_SUB)
		return subtract(w, n->bits, x, y);
	if (n->op == SC_NODE_COMPARE)
		return compare_values(w, n, x, y);
	return concretize(w, &x) && concretize(w, &y) ? calculate(n, x.number, y.number) : unknown;
}
