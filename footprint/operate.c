/* Arithmetic on linear forms, node by node. */
#include <stdbool.h>
#include "footprint/eval.h"

static const struct sc_value_node *node_at(const struct sc_eval *e, uint32_t node)
{
	return &e->k->graph.nodes.items[node];
}

static struct sc_linear_form plain(struct sc_eval *e, uint32_t node, uint32_t operand)
{
	return sc_eval_node(e, operand, node_at(e, node)->block);
}

/* The same, as a number without a symbolic base. */
static struct sc_linear_form number(struct sc_eval *e, uint32_t node, uint32_t operand,
				    bool is_signed)
{
	return sc_eval_number(e, operand, node_at(e, node)->block, is_signed);
}

/* Unknown because of its operands, or because the operation is not linear. */
static struct sc_linear_form unknown(struct sc_eval *e, uint32_t node,
				     const struct sc_linear_form *x, const struct sc_linear_form *y)
{
	uint8_t reason = SC_REASON_NONLINEAR;

	if (!sc_form_has_unknown(x, &e->box, &reason) && y)
		sc_form_has_unknown(y, &e->box, &reason);
	return sc_eval_unknown(e, node, node_at(e, node)->bits >= 32,
			       (enum sc_footprint_reason)reason);
}

static bool is_constant(const struct sc_linear_form *f)
{
	return !f->count && !f->base_kind;
}

/* Of two bases keeps the greater: a pointer is greater than an offset. */
static bool keep_one_base(struct sc_eval *e, struct sc_linear_form *x, struct sc_linear_form *y)
{
	struct sc_linear_form bare_x = *x, bare_y = *y;
	bool has_x = sc_eval_concrete(e, &bare_x), has_y = sc_eval_concrete(e, &bare_y);

	if (has_y && (!has_x || (uint64_t)bare_y.constant - (uint64_t)y->constant <=
					(uint64_t)bare_x.constant - (uint64_t)x->constant))
		*y = bare_y;
	else
		*x = bare_x;
	return has_x || has_y;
}

static struct sc_linear_form add(struct sc_eval *e, uint32_t node, int64_t sign)
{
	struct sc_linear_form x = plain(e, node, node_at(e, node)->a);
	struct sc_linear_form y = plain(e, node, node_at(e, node)->b);
	struct sc_linear_form out;

	if (sign < 0 && y.base_kind && y.base_kind == x.base_kind && y.base == x.base)
		x.base_kind = y.base_kind = SC_FORM_PLAIN;
	if (sign < 0 ? !sc_eval_low(e, node, &y)
		     : x.base_kind && y.base_kind && !keep_one_base(e, &x, &y) &&
			       !sc_eval_low(e, node, &x))
		return unknown(e, node, &x, &y);
	if (sc_form_add(&out, &x, &y, sign))
		return out;
	return unknown(e, node, &x, &y);
}

static struct sc_linear_form multiply(struct sc_eval *e, uint32_t node)
{
	struct sc_linear_form x = plain(e, node, node_at(e, node)->a);
	struct sc_linear_form y = plain(e, node, node_at(e, node)->b);
	struct sc_linear_form out;

	if (sc_eval_low(e, node, &x) && sc_eval_low(e, node, &y)) {
		if (is_constant(&y) && sc_form_scale(&out, &x, y.constant))
			return out;
		if (is_constant(&x) && sc_form_scale(&out, &y, x.constant))
			return out;
	}
	return unknown(e, node, &x, &y);
}

static struct sc_linear_form shift_left(struct sc_eval *e, uint32_t node)
{
	struct sc_linear_form x = plain(e, node, node_at(e, node)->a);
	struct sc_linear_form y = number(e, node, node_at(e, node)->b, 0);
	struct sc_linear_form out;

	if (is_constant(&y) && y.constant >= node_at(e, node)->bits)
		return sc_form_constant(0);
	if (is_constant(&y) && sc_eval_low(e, node, &x) && y.constant < 62 &&
	    sc_form_scale(&out, &x, INT64_C(1) << y.constant))
		return out;
	return unknown(e, node, &x, &y);
}

/* A product by a constant whose high part is wanted: MULHI, or MUL of zero-extended values. */
static bool high_product(struct sc_eval *e, uint32_t node, unsigned shift, bool is_signed,
			 struct sc_linear_form *out)
{
	const struct sc_value_node *n = node_at(e, node), *factor;
	struct sc_linear_form x;
	uint64_t by;

	if (n->op == SC_NODE_TRUNCATE && n->bits == 32 && node_at(e, n->a)->op == SC_NODE_SHR &&
	    node_at(e, node_at(e, n->a)->b)->op == SC_NODE_CONST &&
	    node_at(e, node_at(e, n->a)->b)->value >= 32) {
		shift += (unsigned)node_at(e, node_at(e, n->a)->b)->value & 63;
		n = node_at(e, node_at(e, n->a)->a);
	}
	if (n->op == SC_NODE_MULHI && n->bits == 32)
		shift += 32;
	else if (n->op != SC_NODE_MUL || n->bits != 64)
		return 0;
	factor = node_at(e, n->b);
	if (factor->op != SC_NODE_CONST || (n->is_signed && factor->value <= 0))
		return 0;
	x = sc_eval_number(e, n->a, n->block, n->is_signed);
	by = n->bits == 32 ? (uint32_t)factor->value : (uint64_t)factor->value;
	if (is_signed && (__int128)sc_eval_span(e, &x).high * by > INT64_MAX)
		return 0;
	return sc_eval_magic(e, &x, by, shift, out);
}

static struct sc_linear_form shift_right(struct sc_eval *e, uint32_t node)
{
	const struct sc_value_node *n = node_at(e, node);
	struct sc_linear_form y = number(e, node, n->b, 0), x, out;

	if (is_constant(&y) && y.constant >= 0 && y.constant < 62 &&
	    high_product(e, n->a, (unsigned)y.constant, n->is_signed, &out))
		return out;
	x = number(e, node, n->a, n->is_signed);
	if (is_constant(&y) && y.constant >= n->bits && !n->is_signed)
		return sc_form_constant(0);
	if (is_constant(&y) && y.constant >= 0 && y.constant < 62 &&
	    sc_eval_quotient(e, &x, INT64_C(1) << y.constant, &out))
		return out;
	return unknown(e, node, &x, &y);
}

/* Quotient that truncates toward zero. */
static bool truncated(struct sc_eval *e, const struct sc_linear_form *x, int64_t divisor,
		      struct sc_linear_form *out)
{
	struct sc_form_span span = sc_eval_span(e, x);
	struct sc_linear_form minus;

	if (divisor <= 0)
		return 0;
	if (span.low >= 0)
		return sc_eval_quotient(e, x, divisor, out);
	if (span.high <= 0)
		return sc_form_scale(&minus, x, -1) &&
		       sc_eval_quotient(e, &minus, divisor, &minus) &&
		       sc_form_scale(out, &minus, -1);
	*out = *x;
	return sc_eval_split(e, x, -1);
}

static struct sc_linear_form divide(struct sc_eval *e, uint32_t node, bool remainder)
{
	const struct sc_value_node *n = node_at(e, node);
	struct sc_linear_form x = number(e, node, n->a, n->is_signed);
	struct sc_linear_form y = number(e, node, n->b, n->is_signed), out;
	struct sc_form_span span;

	if (is_constant(&y) && truncated(e, &x, y.constant, &out) &&
	    (!remainder || sc_form_add(&out, &x, &out, -y.constant)))
		return out;
	span = sc_eval_span(e, &y);
	if (remainder && span.low > 0 && sc_eval_span(e, &x).low >= 0 && !sc_eval_stopped(e))
		return sc_eval_fresh(e, 0, span.high - 1, SC_REASON_NONLINEAR);
	return unknown(e, node, &x, &y);
}

/* x modulo 2^bits, on the form itself: right whatever the window. */
static bool low_bits(struct sc_eval *e, const struct sc_linear_form *x, unsigned bits,
		     struct sc_linear_form *out)
{
	struct sc_linear_form quotient;

	return bits < 62 && sc_eval_quotient(e, x, INT64_C(1) << bits, &quotient) &&
	       sc_form_add(out, x, &quotient, -(INT64_C(1) << bits));
}

/* x & mask, for masks of one run of ones. */
static bool mask_bits(struct sc_eval *e, const struct sc_linear_form *x, int64_t mask,
		      struct sc_linear_form *out)
{
	unsigned low = mask ? (unsigned)__builtin_ctzll((uint64_t)mask) : 0;
	uint64_t run = (uint64_t)mask >> low;
	struct sc_linear_form below;

	if (!mask) {
		*out = sc_form_constant(0);
		return 1;
	}
	if (mask < 0 && (uint64_t)mask >> low == UINT64_MAX >> low)
		*out = *x;
	else if (run & (run + 1) || !low_bits(e, x, low + (unsigned)__builtin_popcountll(run), out))
		return 0;
	if (!low)
		return 1;
	return low_bits(e, x, low, &below) && sc_form_add(out, out, &below, -1);
}

static struct sc_linear_form bit_and(struct sc_eval *e, uint32_t node)
{
	const struct sc_value_node *n = node_at(e, node);
	struct sc_linear_form x = plain(e, node, n->a), y = plain(e, node, n->b), out;

	if (is_constant(&x)) {
		struct sc_linear_form swap = x;

		x = y;
		y = swap;
	}
	if (is_constant(&x) && is_constant(&y))
		return sc_form_constant(x.constant & y.constant);
	if (is_constant(&y) && sc_eval_low(e, node, &x) && mask_bits(e, &x, y.constant, &out))
		return out;
	if (is_constant(&y) && y.constant >= 0 && !sc_eval_stopped(e)) {
		uint8_t reason = SC_REASON_NONLINEAR;

		sc_form_has_unknown(&x, &e->box, &reason);
		return sc_eval_fresh(e, 0, y.constant, (enum sc_footprint_reason)reason);
	}
	return unknown(e, node, &x, &y);
}

static bool is_multiple(const struct sc_linear_form *f, int64_t of)
{
	if (f->constant % of || f->base_kind)
		return 0;
	for (unsigned i = 0; i < f->count; i++)
		if (f->terms[i].factor % of)
			return 0;
	return 1;
}

/* x | y and x ^ y are x + y if no bit is in both. */
static bool add_disjoint(struct sc_eval *e, const struct sc_linear_form *high,
			 const struct sc_linear_form *low, struct sc_linear_form *out)
{
	struct sc_form_span span = sc_eval_span(e, low);
	int64_t power = 1;

	if (span.low < 0 || span.high >= SC_INFINITE / 4)
		return 0;
	while (power <= span.high)
		power *= 2;
	return is_multiple(high, power) && sc_form_add(out, high, low, 1);
}

/* x ^ mask and x | mask, bit by bit: x + bit - factor × bit × ((x / bit) mod 2), with factor 2
 * and 1. */
static bool change_bits(struct sc_eval *e, const struct sc_linear_form *x, int64_t mask,
			int64_t factor, struct sc_linear_form *out)
{
	struct sc_linear_form rest, digit;

	*out = *x;
	if (mask < 0 || __builtin_popcountll((uint64_t)mask) > 4)
		return factor == 2 && mask == -1 && sc_form_scale(out, x, -1) &&
		       !__builtin_sub_overflow(out->constant, 1, &out->constant);
	for (; mask; mask &= mask - 1) {
		int64_t bit = mask & -mask;

		if (!sc_eval_quotient(e, x, bit, &rest) || !low_bits(e, &rest, 1, &digit) ||
		    bit > INT32_MAX || !sc_form_add(out, out, &digit, -factor * bit) ||
		    __builtin_add_overflow(out->constant, bit, &out->constant))
			return 0;
	}
	return 1;
}

static struct sc_linear_form bit_or(struct sc_eval *e, uint32_t node, bool exclusive)
{
	const struct sc_value_node *n = node_at(e, node);
	struct sc_linear_form x = plain(e, node, n->a), y = plain(e, node, n->b), out;

	if (!sc_eval_low(e, node, &x) || !sc_eval_low(e, node, &y))
		return unknown(e, node, &x, &y);
	if (is_constant(&x) && is_constant(&y))
		return sc_form_constant(exclusive ? x.constant ^ y.constant
						  : x.constant | y.constant);
	if (add_disjoint(e, &x, &y, &out) || add_disjoint(e, &y, &x, &out))
		return out;
	if (is_constant(&y) && change_bits(e, &x, y.constant, 1 + exclusive, &out))
		return out;
	if (is_constant(&x) && change_bits(e, &y, x.constant, 1 + exclusive, &out))
		return out;
	return unknown(e, node, &x, &y);
}

static struct sc_linear_form extreme(struct sc_eval *e, uint32_t node, bool greatest)
{
	const struct sc_value_node *n = node_at(e, node);
	struct sc_linear_form x = number(e, node, n->a, n->is_signed);
	struct sc_linear_form y = number(e, node, n->b, n->is_signed), difference;
	struct sc_form_span span, sx = sc_eval_span(e, &x), sy = sc_eval_span(e, &y);
	uint8_t reason = SC_REASON_NONLINEAR;

	if (!sc_form_add(&difference, &x, &y, -1))
		return unknown(e, node, &x, &y);
	span = sc_eval_span(e, &difference);
	if (span.high <= 0)
		return greatest ? y : x;
	if (span.low >= 0 || sc_eval_split(e, &difference, 0))
		return greatest ? x : y;
	if (!sc_form_has_unknown(&x, &e->box, &reason))
		sc_form_has_unknown(&y, &e->box, &reason);
	if (sc_eval_stopped(e))
		return x;
	if (greatest)
		return sc_eval_fresh(e, sx.low > sy.low ? sx.low : sy.low,
				     sx.high > sy.high ? sx.high : sy.high,
				     (enum sc_footprint_reason)reason);
	return sc_eval_fresh(e, sx.low < sy.low ? sx.low : sy.low,
			     sx.high < sy.high ? sx.high : sy.high,
			     (enum sc_footprint_reason)reason);
}

static struct sc_linear_form high_half(struct sc_eval *e, uint32_t node)
{
	const struct sc_value_node *n = node_at(e, node);
	struct sc_linear_form out, x;

	if (high_product(e, node, 0, 0, &out))
		return out;
	x = plain(e, node, n->a);
	return unknown(e, node, &x, NULL);
}

static struct sc_linear_form truncate(struct sc_eval *e, uint32_t node)
{
	struct sc_linear_form x, out;

	if (high_product(e, node, 0, 0, &out))
		return out;
	x = plain(e, node, node_at(e, node)->a);
	if (x.base_kind && x.base_kind != SC_FORM_PRIVATE && !sc_eval_low(e, node, &x))
		return unknown(e, node, &x, NULL);
	return x;
}

static struct sc_linear_form extend(struct sc_eval *e, uint32_t node)
{
	const struct sc_value_node *n = node_at(e, node), *inner = node_at(e, n->a);
	struct sc_linear_form whole;

	if (e->busy_loops && inner->op == SC_NODE_TRUNCATE) {
		whole = sc_eval_node(e, inner->a, inner->block);
		if (sc_eval_promise(e, &whole, inner->bits, n->is_signed))
			return whole;
	}
	return number(e, node, n->a, n->is_signed);
}

/* Between two values nothing is known but that it is one of them. */
static struct sc_linear_form select_value(struct sc_eval *e, uint32_t node)
{
	const struct sc_value_node *n = node_at(e, node);
	enum sc_truth truth = sc_eval_truth(e, n->a, n->block, 0);
	struct sc_linear_form x, y, difference;
	struct sc_form_span span;

	if (truth != SC_UNCLEAR)
		return plain(e, node, truth == SC_TRUE ? n->b : n->c);
	x = plain(e, node, n->b);
	y = plain(e, node, n->c);
	if (x.base_kind == y.base_kind && x.base == y.base) {
		struct sc_linear_form bare = y;

		bare.base_kind = SC_FORM_PLAIN;
		difference = x;
		difference.base_kind = SC_FORM_PLAIN;
		if (sc_form_add(&difference, &difference, &bare, -1) && !difference.count &&
		    !difference.constant)
			return x;
		if (sc_eval_truth(e, n->a, n->block, 1) == SC_UNCLEAR && sc_eval_stopped(e))
			return x;
		span = sc_eval_span(e, &difference);
		difference = sc_eval_fresh(e, span.low < 0 ? span.low : 0,
					   span.high > 0 ? span.high : 0, SC_REASON_LOADED);
		if (sc_form_add(&difference, &difference, &y, 1))
			return difference;
	}
	sc_eval_truth(e, n->a, n->block, 1);
	return unknown(e, node, &x, &y);
}

struct sc_linear_form sc_eval_operate(struct sc_eval *e, uint32_t node)
{
	const struct sc_value_node *n = node_at(e, node);

	if (n->bits == 1)
		return sc_eval_unknown(e, node, 0, SC_REASON_CONDITION);
	switch ((enum sc_node_op)n->op) {
	case SC_NODE_ADD: return add(e, node, 1);
	case SC_NODE_SUB: return add(e, node, -1);
	case SC_NODE_MUL: return multiply(e, node);
	case SC_NODE_MULHI: return high_half(e, node);
	case SC_NODE_DIV: return divide(e, node, 0);
	case SC_NODE_REM: return divide(e, node, 1);
	case SC_NODE_SHL: return shift_left(e, node);
	case SC_NODE_SHR: return shift_right(e, node);
	case SC_NODE_AND: return bit_and(e, node);
	case SC_NODE_OR: return bit_or(e, node, 0);
	case SC_NODE_XOR: return bit_or(e, node, 1);
	case SC_NODE_MIN: return extreme(e, node, 0);
	case SC_NODE_MAX: return extreme(e, node, 1);
	case SC_NODE_EXTEND: return extend(e, node);
	case SC_NODE_TRUNCATE: return truncate(e, node);
	case SC_NODE_SELECT: return select_value(e, node);
	default: /* leaves and phis are evaluated elsewhere; NOT and COMPARE are predicates */
		return sc_eval_unknown(e, node, 1, SC_REASON_NONLINEAR);
	}
}
