/* The evaluator: nodes of the graph as linear forms, for one launch, one access site, one case. */
#include "footprint/eval.h"

#include <stdbool.h>
#include <string.h>

#define DEPTH 400 /* of the recursion over nodes */

static void fail(struct sc_eval *e, enum sc_footprint_reason reason)
{
	if (!e->failed)
		e->failed_reason = (uint8_t)reason;
	e->failed = 1;
}

void sc_eval_spend(struct sc_eval *e, uint32_t steps)
{
	e->spent += steps;
	e->fuel -= steps < e->fuel ? steps : e->fuel;
}

bool sc_eval_stopped(const struct sc_eval *e)
{
	return e->request.kind != SC_REQUEST_NONE || e->failed;
}

struct sc_linear_form sc_eval_fresh(struct sc_eval *e, int64_t low, int64_t high,
				    enum sc_footprint_reason reason)
{
	uint32_t variable = e->next_variable;

	if (variable >= SC_BOX_VARIABLES) {
		fail(e, SC_REASON_SHAPE);
		return sc_form_constant(0);
	}
	e->next_variable++;
	e->box.v[variable] = (struct sc_form_variable){
		.low = low, .high = high, .is_unknown = 1, .reason = (uint8_t)reason};
	return sc_form_variable(variable);
}

struct sc_form_span sc_eval_window_of(unsigned bits, bool is_signed)
{
	if (bits >= 62)
		return (struct sc_form_span){is_signed ? -SC_INFINITE : 0, SC_INFINITE};
	if (is_signed)
		return (struct sc_form_span){-(INT64_C(1) << (bits - 1)),
					     (INT64_C(1) << (bits - 1)) - 1};
	return (struct sc_form_span){0, (INT64_C(1) << bits) - 1};
}

struct sc_linear_form sc_eval_unknown(struct sc_eval *e, uint32_t node, bool is_signed,
				      enum sc_footprint_reason reason)
{
	size_t at = (size_t)node * 2 + is_signed;
	struct sc_form_span w = sc_eval_window_of(e->k->graph.nodes.items[node].bits, is_signed);
	struct sc_linear_form f;

	if (e->unknown_stamp[at] == e->run)
		return sc_form_variable(e->unknown_variable[at]);
	f = sc_eval_fresh(e, w.low, w.high, reason);
	if (f.count) {
		e->unknown_stamp[at] = e->run;
		e->unknown_variable[at] = f.terms[0].variable;
		e->box.v[f.terms[0].variable].node = node;
	}
	return f;
}

/* Narrows a span by one fact about a part of the form's terms. */
static void narrow(const struct sc_eval *e, const struct sc_linear_form *f,
		   const struct sc_constraint *fact, struct sc_form_span *span)
{
	int64_t lead = fact->form.terms[0].factor;
	int64_t own = sc_form_factor(f, fact->form.terms[0].variable);
	struct sc_linear_form rest;
	struct sc_form_span other;
	__int128 low, high;

	if (!own || own % lead)
		return;
	own /= lead;
	for (unsigned i = 1; i < fact->form.count; i++)
		if ((__int128)fact->form.terms[i].factor * own !=
		    sc_form_factor(f, fact->form.terms[i].variable))
			return;
	if (own == INT64_MIN || !sc_form_add(&rest, f, &fact->form, -own))
		return;
	other = sc_form_span(&rest, &e->box);
	low = (__int128)own * (own > 0 ? fact->low : fact->high) + other.low;
	high = (__int128)own * (own > 0 ? fact->high : fact->low) + other.high;
	if (sc_clamp(low) > span->low)
		span->low = sc_clamp(low);
	if (sc_clamp(high) < span->high)
		span->high = sc_clamp(high);
}

struct sc_form_span sc_eval_span(const struct sc_eval *e, const struct sc_linear_form *f)
{
	struct sc_form_span span = sc_form_span(f, &e->box);

	for (uint32_t i = 0; i < e->now->fact_count; i++)
		if (e->now->facts[i].form.count && f->count >= e->now->facts[i].form.count)
			narrow(e, f, &e->now->facts[i], &span);
	return span;
}

/* Splits are about coordinates, made variables and the counters of the site's own loops. */
static bool may_split(const struct sc_eval *e, const struct sc_linear_form *form)
{
	if (e->is_trying || !e->splits_left || sc_eval_stopped(e) || !form->count ||
	    form->base_kind || e->now->fact_count + 2 >= SC_EVAL_FACTS)
		return 0;
	for (unsigned i = 0; i < form->count; i++)
		if (form->terms[i].variable >= SC_VAR_FREE ||
		    e->box.v[form->terms[i].variable].is_unknown)
			return 0;
	return 1;
}

bool sc_eval_split(struct sc_eval *e, const struct sc_linear_form *form, int64_t bound)
{
	if (!may_split(e, form))
		return 0;
	e->request = (struct sc_request){.kind = SC_REQUEST_SPLIT, .form = *form, .bound = bound};
	return 1;
}

static bool is_lone_unknown(const struct sc_eval *e, const struct sc_linear_form *f)
{
	return f->count == 1 && f->terms[0].factor == 1 && !f->constant && !f->base_kind &&
	       e->box.v[f->terms[0].variable].is_unknown;
}

bool sc_eval_fit(const struct sc_eval *e, struct sc_linear_form *f, unsigned bits, bool is_signed)
{
	struct sc_form_span w = sc_eval_window_of(bits, is_signed);
	struct sc_form_span span = sc_eval_span(e, f);
	int64_t windows;

	if (bits >= 62 && (span.low <= -SC_INFINITE || span.high >= SC_INFINITE))
		return is_lone_unknown(e, f);
	if (bits >= 62)
		return span.low >= w.low && span.high <= w.high;
	if (span.low <= -SC_INFINITE || span.high >= SC_INFINITE)
		return 0;
	windows = sc_floor_div(span.low - w.low, INT64_C(1) << bits);
	if (__builtin_sub_overflow(f->constant, windows * (INT64_C(1) << bits), &f->constant))
		return 0;
	return span.high - windows * (INT64_C(1) << bits) <= w.high;
}

struct sc_linear_form sc_eval_window(struct sc_eval *e, const struct sc_linear_form *f,
				     unsigned bits, bool is_signed, uint32_t node)
{
	struct sc_form_span w = sc_eval_window_of(bits, is_signed), span;
	struct sc_linear_form out = *f;
	uint8_t reason = SC_REASON_WRAP;

	if (f->base_kind == SC_FORM_PRIVATE)
		return out;
	if (f->base_kind && !sc_eval_concrete(e, &out))
		return sc_eval_unknown(e, node, is_signed, SC_REASON_POINTER);
	if (sc_eval_fit(e, &out, bits, is_signed))
		return out;
	if (is_lone_unknown(e, f))
		return sc_eval_unknown(e, node, is_signed, e->box.v[f->terms[0].variable].reason);
	span = sc_eval_span(e, &out);
	if (bits < 62 && span.high > w.high && span.high <= w.high + (INT64_C(3) << bits) &&
	    sc_eval_split(e, &out, w.high))
		return out;
	if (bits >= 62 && span.low < w.low && span.high >= w.low &&
	    sc_eval_split(e, &out, w.low - 1))
		return out;
	sc_form_has_unknown(f, &e->box, &reason);
	return sc_eval_unknown(e, node, is_signed, reason);
}

struct sc_linear_form sc_eval_number(struct sc_eval *e, uint32_t node, uint32_t block,
				     bool is_signed)
{
	struct sc_linear_form f = sc_eval_node(e, node, block);

	return sc_eval_window(e, &f, e->k->graph.nodes.items[node].bits, is_signed, node);
}

static bool read_image(struct sc_eval *e, uint32_t offset, uint32_t bytes, int64_t *out)
{
	uint64_t value = 0;

	if (bytes > 8 || offset > e->launch->param_bytes ||
	    bytes > e->launch->param_bytes - offset) {
		fail(e, SC_REASON_LAUNCH);
		return 0;
	}
	memcpy(&value, (const char *)e->launch->params + offset, bytes);
	*out = (int64_t)value;
	return 1;
}

bool sc_eval_concrete(struct sc_eval *e, struct sc_linear_form *f)
{
	int64_t value;

	if (!f->base_kind)
		return 1;
	if (f->base_kind != SC_FORM_PARAM)
		return 0;
	for (size_t i = 0; i < e->k->key.count; i++) {
		if (e->k->key.items[i].offset != f->base || e->k->key.items[i].bytes < 8 ||
		    e->k->key.items[i].mask != UINT64_MAX)
			continue;
		if (!read_image(e, f->base, 8, &value) ||
		    __builtin_add_overflow(f->constant, value, &f->constant))
			return 0;
		f->base_kind = SC_FORM_PLAIN;
		f->base = 0;
		return 1;
	}
	return 0;
}

bool sc_eval_low(struct sc_eval *e, uint32_t node, struct sc_linear_form *f)
{
	unsigned bits;
	int64_t value;

	if (sc_eval_concrete(e, f))
		return 1;
	bits = sc_key_low_bits(e->k, node);
	if (f->base_kind != SC_FORM_PARAM || !bits || !read_image(e, f->base, 8, &value) ||
	    __builtin_add_overflow(f->constant, value & ((1 << bits) - 1), &f->constant))
		return 0;
	f->base_kind = SC_FORM_PLAIN;
	f->base = 0;
	return 1;
}

static struct sc_linear_form eval_param(struct sc_eval *e, uint32_t node)
{
	const struct sc_value_node *n = &e->k->graph.nodes.items[node];
	int64_t value = 0;

	if (n->b == 8 && e->k->uses[node] & SC_USE_ADDRESS)
		return (struct sc_linear_form){.base = n->a, .base_kind = SC_FORM_PARAM};
	if (!read_image(e, n->a, n->b, &value))
		return sc_form_constant(0);
	if (n->b < 8 && n->is_signed)
		value = (int64_t)((uint64_t)value << (64 - n->b * 8)) >> (64 - n->b * 8);
	return sc_form_constant(value);
}

static struct sc_linear_form eval_symbol(const struct sc_eval *e, const struct sc_value_node *n)
{
	unsigned space = e->k->module->ptx.symbols.items[n->a].space;
	bool shared_by_all = space == SC_SPACE_GLOBAL || space == SC_SPACE_CONST;

	return (struct sc_linear_form){.constant = n->value,
				       .base = n->a,
				       .base_kind =
					       shared_by_all ? SC_FORM_SYMBOL : SC_FORM_PRIVATE};
}

/* The lane is the linear thread number modulo 32. */
static struct sc_linear_form eval_lane(struct sc_eval *e, uint32_t node)
{
	const uint32_t *block = e->launch->block;
	struct sc_linear_form linear = {0}, rows, quotient;
	int64_t plane = (int64_t)block[0] * block[1];

	if (!sc_form_add(&rows, &e->now->leaves[0], &e->now->leaves[1], block[0]) ||
	    !sc_form_add(&linear, &rows, &e->now->leaves[2], plane) ||
	    !sc_eval_quotient(e, &linear, 32, &quotient) ||
	    !sc_form_add(&linear, &linear, &quotient, -32))
		return sc_eval_unknown(e, node, 0, SC_REASON_SPECIAL);
	return linear;
}

static struct sc_linear_form eval_opaque(struct sc_eval *e, uint32_t node)
{
	const struct sc_value_node *n = &e->k->graph.nodes.items[node];

	return sc_eval_unknown(e, node, n->bits >= 32, (enum sc_footprint_reason)n->aux);
}

static struct sc_linear_form eval_fresh_node(struct sc_eval *e, uint32_t node)
{
	const struct sc_value_node *n = &e->k->graph.nodes.items[node];

	switch ((enum sc_node_op)n->op) {
	case SC_NODE_CONST: return sc_form_constant(n->value);
	case SC_NODE_PARAM: return eval_param(e, node);
	case SC_NODE_TID: return e->now->leaves[n->aux];
	case SC_NODE_CTAID: return e->now->leaves[3 + n->aux];
	case SC_NODE_NTID: return sc_form_constant(e->launch->block[n->aux]);
	case SC_NODE_NCTAID: return sc_form_constant(e->launch->grid[n->aux]);
	case SC_NODE_SHARED_BYTES: return sc_form_constant(e->launch->shared_bytes);
	case SC_NODE_LANE: return eval_lane(e, node);
	case SC_NODE_SYMBOL: return eval_symbol(e, n);
	case SC_NODE_OPAQUE: return eval_opaque(e, node);
	case SC_NODE_PHI:
		if (n->block == SC_FLOW_NONE ||
		    e->k->flow.blocks.items[n->block].loop == SC_FLOW_NONE ||
		    e->k->flow.loops.items[e->k->flow.blocks.items[n->block].loop].header !=
			    n->block)
			return sc_eval_join(e, node);
		return sc_eval_header_phi(e, node);
	default: return sc_eval_operate(e, node); /* all that has operands */
	}
}

static struct sc_linear_form eval_inside(struct sc_eval *e, uint32_t node)
{
	struct sc_linear_form f;

	if (e->memo_stamp[node] == e->memo)
		return e->values.items[e->memo_slot[node]];
	if (sc_eval_stopped(e))
		return sc_form_constant(0);
	if (e->depth >= DEPTH || !e->fuel) {
		if (!e->is_trying)
			fail(e, SC_REASON_BUDGET);
		return sc_eval_unknown(e, node, 1, SC_REASON_BUDGET);
	}
	sc_eval_spend(e, 1);
	e->depth++;
	f = eval_fresh_node(e, node);
	e->depth--;
	if (!sc_eval_stopped(e)) {
		e->memo_stamp[node] = e->memo;
		e->memo_slot[node] = (uint32_t)e->values.count;
		sc_vector_push(&e->values, f);
	}
	return f;
}

struct sc_linear_form sc_eval_node(struct sc_eval *e, uint32_t node, uint32_t block)
{
	struct sc_linear_form f = eval_inside(e, node);
	const struct sc_value_node *n = &e->k->graph.nodes.items[node];
	uint32_t loop = e->k->flow.blocks.items[n->block].loop;

	if (n->op < SC_NODE_ADD)
		return f;
	while (loop != SC_FLOW_NONE && !sc_flow_in_loop(&e->k->flow, block, loop)) {
		f = sc_eval_after_loop(e, loop, &f);
		loop = e->k->flow.loops.items[loop].parent;
	}
	return f;
}
