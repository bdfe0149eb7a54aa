/* Joins: the value of a phi where ways meet again, by the conditions of the ways. */
#include <stdbool.h>
#include "footprint/eval.h"

static const struct sc_flow_edge *edge_of(const struct sc_eval *e, const struct sc_value_node *n,
					  uint32_t i)
{
	const struct sc_block *b = &e->k->flow.blocks.items[n->block];

	return &e->k->flow.edges.items[e->k->flow.pred_edges.items[b->pred_first + i]];
}

/* True if the literal holds whenever the block's dominator runs. */
static bool is_given(const struct sc_eval *e, uint32_t block, const struct sc_literal *literal)
{
	uint32_t dominator = e->k->flow.blocks.items[block].dominator;
	const struct sc_path *path = &e->k->guards.blocks[dominator];
	const struct sc_term *term;

	if (path->count != 1 ||
	    e->k->flow.blocks.items[dominator].loop != e->k->flow.blocks.items[block].loop)
		return 0;
	term = &e->k->guards.terms.items[path->first];
	for (uint32_t i = 0; i < term->count; i++)
		if (term->literals[i].node == literal->node)
			return term->literals[i].negated == literal->negated;
	return 0;
}

static enum sc_truth literal_truth(struct sc_eval *e, uint32_t block,
				   const struct sc_literal *literal, bool asks)
{
	enum sc_truth t;

	if (is_given(e, block, literal))
		return SC_TRUE;
	t = sc_eval_truth(e, literal->node, block, asks);
	if (t == SC_UNCLEAR || !literal->negated)
		return t;
	return t == SC_TRUE ? SC_FALSE : SC_TRUE;
}

static enum sc_truth path_truth(struct sc_eval *e, uint32_t block, const struct sc_path *path,
				bool asks)
{
	enum sc_truth any = SC_FALSE;

	for (uint32_t t = 0; t < path->count && any != SC_TRUE; t++) {
		const struct sc_term *term = &e->k->guards.terms.items[path->first + t];
		enum sc_truth all = SC_TRUE;

		for (uint32_t i = 0; i < term->count && all != SC_FALSE; i++) {
			enum sc_truth one = literal_truth(e, block, &term->literals[i], asks);

			if (one != SC_TRUE)
				all = one;
		}
		if (all != SC_FALSE)
			any = all;
	}
	return any == SC_TRUE && path->reason ? SC_UNCLEAR : any;
}

/* The loop directly inside `outer` that contains the block. */
static uint32_t child_loop(const struct sc_eval *e, uint32_t block, uint32_t outer)
{
	uint32_t loop = e->k->flow.blocks.items[block].loop;

	while (loop != SC_FLOW_NONE && e->k->flow.loops.items[loop].parent != outer)
		loop = e->k->flow.loops.items[loop].parent;
	return loop;
}

/* An edge out of a loop: whoever enters the loop takes it, if there is no other way out. */
static enum sc_truth exit_truth(struct sc_eval *e, uint32_t block, uint32_t loop, bool asks)
{
	enum sc_truth t = path_truth(e, block, &e->k->guards.loops[loop], asks);

	return t == SC_TRUE && e->k->guards.stays[loop].exits != 1 ? SC_UNCLEAR : t;
}

/* Truth of (path of the edge's block) and (the edge's own condition), seen from the join. */
static enum sc_truth edge_truth(struct sc_eval *e, uint32_t block, const struct sc_flow_edge *edge,
				bool asks)
{
	uint32_t loop = e->k->flow.blocks.items[block].loop, inner;
	enum sc_truth any, own = SC_TRUE;
	struct sc_literal literal;

	if (e->k->flow.blocks.items[edge->from].loop != loop) {
		inner = child_loop(e, edge->from, loop);
		return inner == SC_FLOW_NONE ? SC_UNCLEAR : exit_truth(e, block, inner, asks);
	}
	if (sc_guards_edge(&e->k->graph, edge, &literal))
		own = literal_truth(e, block, &literal, asks);
	else if (edge->kind != SC_EDGE_ALWAYS)
		own = SC_UNCLEAR;
	if (own == SC_FALSE)
		return SC_FALSE;
	any = path_truth(e, block, &e->k->guards.blocks[edge->from], asks);
	if (any == SC_FALSE)
		return SC_FALSE;
	return any == SC_TRUE && own == SC_TRUE ? SC_TRUE : SC_UNCLEAR;
}

static bool same_form(const struct sc_linear_form *x, const struct sc_linear_form *y)
{
	if (x->constant != y->constant || x->base_kind != y->base_kind || x->base != y->base ||
	    x->count != y->count)
		return 0;
	for (unsigned i = 0; i < x->count; i++)
		if (x->terms[i].variable != y->terms[i].variable ||
		    x->terms[i].factor != y->terms[i].factor)
			return 0;
	return 1;
}

/* Widens `value` so that it covers `other` too; false if their bases differ. */
static bool widen(struct sc_eval *e, struct sc_linear_form *value,
		  const struct sc_linear_form *other)
{
	struct sc_linear_form x = *value, y = *other, difference;
	struct sc_form_span span;

	if (x.base_kind != y.base_kind || x.base != y.base)
		return 0;
	x.base_kind = y.base_kind = SC_FORM_PLAIN;
	if (!sc_form_add(&difference, &y, &x, -1))
		return 0;
	span = sc_eval_span(e, &difference);
	difference = sc_eval_fresh(e, span.low < 0 ? span.low : 0, span.high > 0 ? span.high : 0,
				   SC_REASON_CONDITION);
	return sc_form_add(value, &difference, value, 1);
}

struct sc_linear_form sc_eval_join(struct sc_eval *e, uint32_t node)
{
	const struct sc_value_node *n = &e->k->graph.nodes.items[node];
	struct sc_linear_form value = {0}, other;
	bool has_value = 0, is_open = 0;

	for (uint32_t i = 0; i < n->b && !sc_eval_stopped(e); i++) {
		const struct sc_flow_edge *edge = edge_of(e, n, i);
		uint32_t arg = e->k->graph.phi_args.items[n->a + i];

		if (edge_truth(e, n->block, edge, 0) == SC_FALSE)
			continue;
		other = sc_eval_node(e, arg, n->block);
		if (has_value && same_form(&value, &other))
			continue;
		if (has_value && !is_open)
			for (uint32_t j = 0; j < n->b && !sc_eval_stopped(e); j++)
				edge_truth(e, n->block, edge_of(e, n, j), 1);
		is_open |= has_value;
		if (sc_eval_stopped(e))
			break;
		if (has_value && !widen(e, &value, &other))
			return sc_eval_unknown(e, node, 1, SC_REASON_CONDITION);
		if (!has_value)
			value = other;
		has_value = 1;
	}
	if (!has_value)
		return sc_form_constant(0);
	return value;
}
