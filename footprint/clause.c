/* Clauses: the conditions of an access site as a disjunction of linear constraints. */
#include "footprint/clause.h"

#include <stdbool.h>
#include <string.h>

#define DEPTH 24

static void demand(struct sc_eval *e, struct sc_clauses *c, uint32_t node, bool wanted,
		   unsigned depth);

void sc_clauses_start(struct sc_clauses *c)
{
	sc_vector_clear(&c->list);
	memset(sc_vector_add(&c->list), 0, sizeof(struct sc_clause));
}

void sc_clauses_fini(struct sc_clauses *c)
{
	sc_vector_fini(&c->list);
}

void sc_clauses_doubt(struct sc_clauses *c, uint8_t reason)
{
	for (size_t i = 0; i < c->list.count; i++)
		if (!c->list.items[i].reason)
			c->list.items[i].reason = reason;
}

static void drop(struct sc_clauses *c, size_t index)
{
	if (index != c->list.count - 1)
		c->list.items[index] = *sc_vector_last(&c->list);
	c->list.count--;
}

/* Adds one constraint; false if the clause has become impossible. */
static bool constrain(struct sc_clause *c, const struct sc_constraint *add)
{
	for (uint32_t i = 0; i < c->count; i++) {
		struct sc_constraint *old = &c->constraints[i];

		if (sc_form_ratio(&old->form, &add->form) != 1)
			continue;
		old->low = add->low > old->low ? add->low : old->low;
		old->high = add->high < old->high ? add->high : old->high;
		return old->low <= old->high;
	}
	if (c->count == SC_CLAUSE_CONSTRAINTS)
		c->reason = c->reason ? c->reason : SC_REASON_CONDITION;
	else
		c->constraints[c->count++] = *add;
	return 1;
}

void sc_clauses_at_most(struct sc_eval *e, struct sc_clauses *c, const struct sc_linear_form *form,
			int64_t bound)
{
	struct sc_form_span span = sc_eval_span(e, form);
	struct sc_constraint constraint = sc_form_at_most(form, bound);
	uint8_t reason = 0;

	if (span.high <= bound)
		return;
	if (span.low > bound) {
		sc_vector_clear(&c->list);
		return;
	}
	if (sc_form_has_unknown(form, &e->box, &reason))
		sc_clauses_doubt(c, reason);
	sc_eval_spend(e, (uint32_t)c->list.count);
	for (size_t i = c->list.count; i-- > 0;)
		if (!constrain(&c->list.items[i], &constraint))
			drop(c, i);
}

/* Demands one of two things: c becomes (c ∧ first) ∨ (c ∧ second). */
struct choice {
	uint32_t first, second; /* nodes */
	bool wants_first, wants_second;
};

static void append_all(struct sc_eval *e, struct sc_clauses *to, const struct sc_clauses *from)
{
	sc_eval_spend(e, (uint32_t)from->list.count);
	for (size_t i = 0; i < from->list.count; i++)
		sc_vector_push(&to->list, from->list.items[i]);
}

void sc_clauses_copy(struct sc_eval *e, struct sc_clauses *to, const struct sc_clauses *from)
{
	sc_vector_clear(&to->list);
	append_all(e, to, from);
}

static void demand_either(struct sc_eval *e, struct sc_clauses *c, struct choice choice,
			  unsigned depth)
{
	struct sc_clauses other = {0}, whole = {0};

	append_all(e, &other, c);
	append_all(e, &whole, c);
	demand(e, c, choice.first, choice.wants_first, depth);
	demand(e, &other, choice.second, choice.wants_second, depth);
	append_all(e, c, &other);
	if (c->list.count > SC_CLAUSES) {
		sc_clauses_copy(e, c, &whole);
		sc_clauses_doubt(c, SC_REASON_CONDITION);
	}
	sc_clauses_fini(&other);
	sc_clauses_fini(&whole);
}

static void demand_difference(struct sc_eval *e, struct sc_clauses *c,
			      const struct sc_linear_form *d, unsigned op)
{
	struct sc_linear_form minus;
	struct sc_clauses other = {0};

	if (!sc_form_scale(&minus, d, -1)) {
		sc_clauses_doubt(c, SC_REASON_CONDITION);
		return;
	}
	switch (op) {
	case SC_COMPARE_LT: sc_clauses_at_most(e, c, d, -1); return;
	case SC_COMPARE_LE: sc_clauses_at_most(e, c, d, 0); return;
	case SC_COMPARE_GT: sc_clauses_at_most(e, c, &minus, -1); return;
	case SC_COMPARE_GE: sc_clauses_at_most(e, c, &minus, 0); return;
	case SC_COMPARE_EQ:
		sc_clauses_at_most(e, c, d, 0);
		sc_clauses_at_most(e, c, &minus, 0);
		return;
	default: break; /* NE: below or above */
	}
	append_all(e, &other, c);
	sc_clauses_at_most(e, c, d, -1);
	sc_clauses_at_most(e, &other, &minus, -1);
	append_all(e, c, &other);
	sc_clauses_fini(&other);
	if (c->list.count > SC_CLAUSES * 4) {
		sc_clauses_start(c);
		sc_clauses_doubt(c, SC_REASON_CONDITION);
	}
}

static void demand_compare(struct sc_eval *e, struct sc_clauses *c, uint32_t node, bool wanted)
{
	static const uint8_t opposites[] = {
		[SC_COMPARE_EQ] = SC_COMPARE_NE, [SC_COMPARE_NE] = SC_COMPARE_EQ,
		[SC_COMPARE_LT] = SC_COMPARE_GE, [SC_COMPARE_LE] = SC_COMPARE_GT,
		[SC_COMPARE_GT] = SC_COMPARE_LE, [SC_COMPARE_GE] = SC_COMPARE_LT};
	const struct sc_value_node *n = &e->k->graph.nodes.items[node];
	uint32_t loop = e->k->flow.blocks.items[n->block].loop;
	struct sc_linear_form d;

	if (!sc_eval_difference(e, node, &d)) {
		sc_clauses_doubt(c, SC_REASON_POINTER);
		return;
	}
	for (; loop != SC_FLOW_NONE && !sc_flow_in_loop(&e->k->flow, e->site->block, loop);
	     loop = e->k->flow.loops.items[loop].parent)
		d = sc_eval_after_loop(e, loop, &d);
	demand_difference(e, c, &d, wanted ? n->aux : opposites[n->aux]);
}

static void demand_select(struct sc_eval *e, struct sc_clauses *c, uint32_t node, bool wanted,
			  unsigned depth)
{
	const struct sc_value_node *n = &e->k->graph.nodes.items[node];
	struct sc_clauses other = {0};

	append_all(e, &other, c);
	demand(e, c, n->a, 1, depth);
	demand(e, c, n->b, wanted, depth);
	demand(e, &other, n->a, 0, depth);
	demand(e, &other, n->c, wanted, depth);
	append_all(e, c, &other);
	sc_clauses_fini(&other);
	if (c->list.count > SC_CLAUSES * 4) {
		sc_clauses_start(c);
		sc_clauses_doubt(c, SC_REASON_CONDITION);
	}
}

static void demand_exclusive(struct sc_eval *e, struct sc_clauses *c, uint32_t node, bool wanted,
			     unsigned depth)
{
	const struct sc_value_node *n = &e->k->graph.nodes.items[node];
	enum sc_truth y = sc_eval_truth(e, n->b, e->site->block, 0);

	if (y == SC_UNCLEAR) {
		sc_clauses_doubt(c, SC_REASON_CONDITION);
		return;
	}
	demand(e, c, n->a, wanted ^ (y == SC_TRUE), depth);
}

/* True if a phi joins ways within the iteration that the site is in. */
static bool joins_here(const struct sc_eval *e, const struct sc_value_node *n)
{
	const struct sc_block *block = &e->k->flow.blocks.items[n->block];

	if (n->op != SC_NODE_PHI || !sc_flow_in_loop(&e->k->flow, e->site->block, block->loop))
		return 0;
	for (uint32_t i = 0; i < block->pred_count; i++) {
		const struct sc_flow_edge *edge =
			&e->k->flow.edges.items[e->k->flow.pred_edges.items[block->pred_first + i]];

		if (edge->is_back || e->k->flow.blocks.items[edge->from].loop != block->loop)
			return 0;
	}
	return 1;
}

/* A predicate that joins ways: one of the ways was taken, and brought the wanted value. */
static void demand_join(struct sc_eval *e, struct sc_clauses *c, uint32_t node, bool wanted,
			unsigned depth)
{
	const struct sc_value_node *n = &e->k->graph.nodes.items[node];
	const struct sc_block *block = &e->k->flow.blocks.items[n->block];
	struct sc_clauses result = {0}, part = {0};
	struct sc_literal literal;

	for (uint32_t i = 0; i < n->b; i++) {
		const struct sc_flow_edge *edge =
			&e->k->flow.edges.items[e->k->flow.pred_edges.items[block->pred_first + i]];

		sc_clauses_copy(e, &part, c);
		demand(e, &part, e->k->graph.phi_args.items[n->a + i], wanted, depth);
		if (part.list.count)
			sc_clauses_path(e, &part, &e->k->guards.blocks[edge->from]);
		if (sc_guards_edge(&e->k->graph, edge, &literal))
			demand(e, &part, literal.node, !literal.negated, depth);
		else if (edge->kind != SC_EDGE_ALWAYS)
			sc_clauses_doubt(&part, SC_REASON_CONDITION);
		append_all(e, &result, &part);
	}
	if (result.list.count <= SC_CLAUSES) {
		sc_clauses_copy(e, c, &result);
	} else {
		sc_clauses_doubt(c, SC_REASON_CONDITION);
	}
	sc_clauses_fini(&result);
	sc_clauses_fini(&part);
}

/* A predicate of another kind: exact if it is decided, else anything. */
static void demand_other(struct sc_eval *e, struct sc_clauses *c, uint32_t node, bool wanted)
{
	const struct sc_value_node *n = &e->k->graph.nodes.items[node];
	enum sc_truth t = sc_eval_truth(e, node, e->site->block, 0);

	if (t == SC_UNCLEAR)
		sc_clauses_doubt(c, n->op == SC_NODE_OPAQUE ? n->aux : SC_REASON_CONDITION);
	else if ((t == SC_TRUE) != wanted)
		sc_vector_clear(&c->list);
}

static void demand(struct sc_eval *e, struct sc_clauses *c, uint32_t node, bool wanted,
		   unsigned depth)
{
	const struct sc_value_node *n = &e->k->graph.nodes.items[node];

	if (!c->list.count || sc_eval_stopped(e))
		return;
	if (!e->fuel) { /* whatever the condition says, this covers it */
		sc_clauses_doubt(c, SC_REASON_BUDGET);
		return;
	}
	sc_eval_spend(e, 1); /* nodes are visited as often as ways lead to them */
	if (depth > DEPTH || n->bits != 1) {
		sc_clauses_doubt(c, SC_REASON_CONDITION);
		return;
	}
	depth++;
	if (n->op == SC_NODE_COMPARE) {
		demand_compare(e, c, node, wanted);
	} else if (n->op == SC_NODE_NOT) {
		demand(e, c, n->a, !wanted, depth);
	} else if (n->op == (wanted ? SC_NODE_AND : SC_NODE_OR)) {
		demand(e, c, n->a, wanted, depth);
		demand(e, c, n->b, wanted, depth);
	} else if (n->op == SC_NODE_AND || n->op == SC_NODE_OR) {
		demand_either(e, c, (struct choice){n->a, n->b, wanted, wanted}, depth);
	} else if (n->op == SC_NODE_SELECT) {
		demand_select(e, c, node, wanted, depth);
	} else if (n->op == SC_NODE_XOR) {
		demand_exclusive(e, c, node, wanted, depth);
	} else if (joins_here(e, n)) {
		demand_join(e, c, node, wanted, depth);
	} else {
		demand_other(e, c, node, wanted);
	}
}

void sc_clauses_literal(struct sc_eval *e, struct sc_clauses *c, uint32_t node, bool wanted)
{
	demand(e, c, node, wanted, 0);
}

static void demand_term(struct sc_eval *e, struct sc_clauses *c, const struct sc_term *term)
{
	for (uint32_t i = 0; i < term->count; i++)
		demand(e, c, term->literals[i].node, !term->literals[i].negated, 0);
}

void sc_clauses_path(struct sc_eval *e, struct sc_clauses *c, const struct sc_path *path)
{
	struct sc_clauses result = {0}, part = {0};

	for (uint32_t i = 0; i < path->count; i++) {
		sc_clauses_copy(e, &part, c);
		demand_term(e, &part, &e->k->guards.terms.items[path->first + i]);
		append_all(e, &result, &part);
	}
	if (result.list.count <= SC_CLAUSES) {
		sc_clauses_copy(e, c, &result);
	} else {
		sc_clauses_doubt(c, SC_REASON_CONDITION);
	}
	if (path->reason)
		sc_clauses_doubt(c, path->reason);
	sc_clauses_fini(&result);
	sc_clauses_fini(&part);
}

/* True if the clause itself says form ≤ bound. */
static bool implies(const struct sc_eval *e, const struct sc_clause *c,
		    const struct sc_linear_form *form, int64_t bound)
{
	struct sc_constraint wanted = sc_form_at_most(form, bound);

	if (sc_eval_span(e, form).high <= bound)
		return 1;
	for (uint32_t i = 0; i < c->count; i++)
		if (sc_form_ratio(&c->constraints[i].form, &wanted.form) == 1)
			return c->constraints[i].low >= wanted.low &&
			       c->constraints[i].high <= wanted.high;
	return 0;
}

/* The first iteration needs no test; if the clause implies the test there, it is one range. */
static bool covers_first(const struct sc_eval *e, const struct sc_clause *c,
			 const struct sc_loop_value *lv)
{
	for (uint32_t i = 0; i < lv->count; i++) {
		struct sc_linear_form before = sc_form_without(&lv->tests[i].form, lv->counter);

		if (__builtin_sub_overflow(before.constant,
					   sc_form_factor(&lv->tests[i].form, lv->counter),
					   &before.constant) ||
		    !implies(e, c, &before, lv->tests[i].bound))
			return 0;
	}
	return 1;
}

static void demand_tests(struct sc_eval *e, struct sc_clauses *c, const struct sc_loop_value *lv)
{
	for (uint32_t i = 0; i < lv->count; i++) {
		struct sc_linear_form before = lv->tests[i].form;

		if (__builtin_sub_overflow(before.constant, sc_form_factor(&before, lv->counter),
					   &before.constant))
			sc_clauses_doubt(c, SC_REASON_WRAP);
		else
			sc_clauses_at_most(e, c, &before, lv->tests[i].bound);
	}
}

void sc_clauses_iteration(struct sc_eval *e, struct sc_clauses *c, uint32_t loop)
{
	struct sc_loop_value *lv = sc_eval_loop(e, loop);
	struct sc_linear_form k = sc_form_variable(lv->counter), minus;
	struct sc_clauses first = {0};
	bool splits = 0;

	if (lv->reason)
		sc_clauses_doubt(c, lv->reason);
	for (size_t i = 0; i < c->list.count; i++)
		splits |= !covers_first(e, &c->list.items[i], lv);
	if (splits) {
		append_all(e, &first, c);
		sc_clauses_at_most(e, &first, &k, 0);
		sc_form_scale(&minus, &k, -1);
		sc_clauses_at_most(e, c, &minus, -1);
	}
	demand_tests(e, c, lv);
	append_all(e, c, &first);
	sc_clauses_fini(&first);
}
