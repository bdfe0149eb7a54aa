/* Predicates: true, false, or open, and what would decide them. */
#include <stdbool.h>
#include "footprint/eval.h"

#define DEPTH 64

static const struct sc_value_node *node_at(const struct sc_eval *e, uint32_t node)
{
	return &e->k->graph.nodes.items[node];
}

/* The two sides of a comparison without symbolic bases. */
static bool strip_bases(struct sc_eval *e, struct sc_linear_form *x, struct sc_linear_form *y)
{
	if (x->base_kind && x->base_kind == y->base_kind && x->base == y->base) {
		x->base_kind = y->base_kind = SC_FORM_PLAIN;
		return 1;
	}
	return sc_eval_concrete(e, x) && sc_eval_concrete(e, y);
}

/* For equality any numbers do that are equal modulo 2^bits, if they are near enough. */
static bool ring_difference(struct sc_eval *e, const struct sc_value_node *n,
			    struct sc_linear_form *out)
{
	struct sc_linear_form x = sc_eval_node(e, n->a, n->block),
			      y = sc_eval_node(e, n->b, n->block);
	unsigned bits = node_at(e, n->a)->bits;
	struct sc_form_span span;
	int64_t shift;

	if (!strip_bases(e, &x, &y) || !sc_form_add(out, &x, &y, -1))
		return 0;
	span = sc_eval_span(e, out);
	if (bits >= 62)
		return span.low > -SC_INFINITE && span.high < SC_INFINITE;
	if (span.low <= -SC_INFINITE || span.high >= SC_INFINITE)
		return 0;
	shift = sc_floor_div(span.low, INT64_C(1) << bits) * (INT64_C(1) << bits);
	if (span.low - shift)
		shift += span.high - shift >= INT64_C(1) << bits ? INT64_C(1) << bits : 0;
	out->constant -= shift;
	return span.low - shift > -(INT64_C(1) << bits) && span.high - shift < INT64_C(1) << bits;
}

bool sc_eval_difference(struct sc_eval *e, uint32_t node, struct sc_linear_form *out)
{
	const struct sc_value_node *n = node_at(e, node);
	struct sc_linear_form x, y;

	if (n->aux == SC_COMPARE_EQ || n->aux == SC_COMPARE_NE)
		if (ring_difference(e, n, out))
			return 1;
	x = sc_eval_node(e, n->a, n->block);
	y = sc_eval_node(e, n->b, n->block);
	if (!strip_bases(e, &x, &y))
		return 0;
	x = sc_eval_window(e, &x, node_at(e, n->a)->bits, n->is_signed, n->a);
	y = sc_eval_window(e, &y, node_at(e, n->b)->bits, n->is_signed, n->b);
	return sc_form_add(out, &x, &y, -1);
}

static enum sc_truth inverse(enum sc_truth t)
{
	return t == SC_UNCLEAR ? t : t == SC_TRUE ? SC_FALSE : SC_TRUE;
}

/* Truth of difference ≤ bound. */
static enum sc_truth at_most(struct sc_eval *e, const struct sc_linear_form *d, int64_t bound,
			     bool asks)
{
	struct sc_form_span span = sc_eval_span(e, d);

	if (span.high <= bound)
		return SC_TRUE;
	if (span.low > bound)
		return SC_FALSE;
	if (asks)
		sc_eval_split(e, d, bound);
	return SC_UNCLEAR;
}

static enum sc_truth is_zero(struct sc_eval *e, const struct sc_linear_form *d, bool asks)
{
	enum sc_truth not_above = at_most(e, d, 0, 0), below = at_most(e, d, -1, 0);

	if (not_above == SC_FALSE || below == SC_TRUE)
		return SC_FALSE;
	if (not_above == SC_TRUE && below == SC_FALSE)
		return SC_TRUE;
	if (asks)
		sc_eval_split(e, d, below == SC_UNCLEAR ? -1 : 0);
	return SC_UNCLEAR;
}

static enum sc_truth compare(struct sc_eval *e, uint32_t node, bool asks)
{
	const struct sc_value_node *n = node_at(e, node);
	struct sc_linear_form d;

	if (!sc_eval_difference(e, node, &d))
		return SC_UNCLEAR;
	switch (n->aux) {
	case SC_COMPARE_EQ: return is_zero(e, &d, asks);
	case SC_COMPARE_NE: return inverse(is_zero(e, &d, asks));
	case SC_COMPARE_LT: return at_most(e, &d, -1, asks);
	case SC_COMPARE_LE: return at_most(e, &d, 0, asks);
	case SC_COMPARE_GT: return inverse(at_most(e, &d, 0, asks));
	case SC_COMPARE_GE: return inverse(at_most(e, &d, -1, asks));
	default: return SC_UNCLEAR; /* the graph has no other comparison */
	}
}

static enum sc_truth both(struct sc_eval *e, const struct sc_value_node *n, bool any, bool asks)
{
	enum sc_truth x = sc_eval_truth(e, n->a, n->block, asks);
	enum sc_truth y = sc_eval_truth(e, n->b, n->block, asks);
	enum sc_truth strong = any ? SC_TRUE : SC_FALSE;

	if (x == strong || y == strong)
		return strong;
	return x == SC_UNCLEAR || y == SC_UNCLEAR ? SC_UNCLEAR : inverse(strong);
}

static enum sc_truth select_truth(struct sc_eval *e, const struct sc_value_node *n, bool asks)
{
	enum sc_truth c = sc_eval_truth(e, n->a, n->block, asks), x, y;

	if (c == SC_UNCLEAR) {
		x = sc_eval_truth(e, n->b, n->block, 0);
		y = sc_eval_truth(e, n->c, n->block, 0);
		return x == y ? x : SC_UNCLEAR;
	}
	return sc_eval_truth(e, c == SC_TRUE ? n->b : n->c, n->block, asks);
}

/* A constant predicate that several ways agree on. */
static enum sc_truth phi_truth(struct sc_eval *e, const struct sc_value_node *n)
{
	enum sc_truth all = SC_UNCLEAR;

	for (uint32_t i = 0; i < n->b; i++) {
		uint32_t arg = e->k->graph.phi_args.items[n->a + i];
		enum sc_truth one;

		if (node_at(e, arg)->op != SC_NODE_CONST)
			return SC_UNCLEAR;
		one = node_at(e, arg)->value ? SC_TRUE : SC_FALSE;
		if (i && one != all)
			return SC_UNCLEAR;
		all = one;
	}
	return all;
}

/* True if a loop around the predicate's block has ended for the user. */
static bool is_past(const struct sc_eval *e, const struct sc_value_node *n, uint32_t block)
{
	uint32_t loop = e->k->flow.blocks.items[n->block].loop;

	return n->op >= SC_NODE_ADD && loop != SC_FLOW_NONE &&
	       !sc_flow_in_loop(&e->k->flow, block, loop);
}

enum sc_truth sc_eval_truth(struct sc_eval *e, uint32_t node, uint32_t block, bool asks)
{
	const struct sc_value_node *n = node_at(e, node);
	enum sc_truth x, y, result = SC_UNCLEAR;

	if (sc_eval_stopped(e) || n->bits != 1 || e->depth >= DEPTH || !e->fuel ||
	    is_past(e, n, block))
		return SC_UNCLEAR;
	e->depth++;
	sc_eval_spend(e, 1);
	switch ((enum sc_node_op)n->op) {
	case SC_NODE_CONST: result = n->value ? SC_TRUE : SC_FALSE; break;
	case SC_NODE_COMPARE: result = compare(e, node, asks); break;
	case SC_NODE_NOT: result = inverse(sc_eval_truth(e, n->a, n->block, asks)); break;
	case SC_NODE_AND: result = both(e, n, 0, asks); break;
	case SC_NODE_OR: result = both(e, n, 1, asks); break;
	case SC_NODE_SELECT: result = select_truth(e, n, asks); break;
	case SC_NODE_PHI: result = phi_truth(e, n); break;
	case SC_NODE_XOR:
		x = sc_eval_truth(e, n->a, n->block, asks);
		y = sc_eval_truth(e, n->b, n->block, asks);
		if (x != SC_UNCLEAR && y != SC_UNCLEAR)
			result = x != y ? SC_TRUE : SC_FALSE;
		break;
	default: break; /* not known */
	}
	e->depth--;
	return sc_eval_stopped(e) ? SC_UNCLEAR : result;
}
