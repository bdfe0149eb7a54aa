/* Loops: how often they run, what they count, which values remain after them. */
#include <stdbool.h>
#include "footprint/eval.h"

#define ENDLESS	   (INT64_C(1) << 40)
#define STEP_FUEL  64 /* nodes looked at between a phi and its next value */
#define STEP_PARTS 8

static const struct sc_value_node *node_at(const struct sc_eval *e, uint32_t node)
{
	return &e->k->graph.nodes.items[node];
}

static uint8_t mirrored(uint8_t op)
{
	switch (op) {
	case SC_COMPARE_LT: return SC_COMPARE_GT;
	case SC_COMPARE_LE: return SC_COMPARE_GE;
	case SC_COMPARE_GT: return SC_COMPARE_LT;
	case SC_COMPARE_GE: return SC_COMPARE_LE;
	default: return op; /* EQ and NE have no direction */
	}
}

static uint8_t opposite(uint8_t op)
{
	switch (op) {
	case SC_COMPARE_EQ: return SC_COMPARE_NE;
	case SC_COMPARE_NE: return SC_COMPARE_EQ;
	case SC_COMPARE_LT: return SC_COMPARE_GE;
	case SC_COMPARE_LE: return SC_COMPARE_GT;
	case SC_COMPARE_GT: return SC_COMPARE_LE;
	default: return SC_COMPARE_LT; /* of GE */
	}
}

static bool is_multiple(const struct sc_linear_form *f, int64_t of)
{
	if (f->constant % of)
		return 0;
	for (unsigned i = 0; i < f->count; i++)
		if (f->terms[i].factor % of)
			return 0;
	return 1;
}

/* Both sides of a test as numbers: x = start + step × counter against an invariant y. */
struct race {
	struct sc_linear_form start;
	struct sc_linear_form limit;
	int64_t step;
	uint8_t op;
	unsigned bits;
	bool is_signed;
};

/* True if what the form does not know stays the same in all iterations. */
static bool is_steady(const struct sc_eval *e, const struct sc_linear_form *f, uint32_t loop)
{
	for (unsigned i = 0; i < f->count; i++) {
		const struct sc_form_variable *v = &e->box.v[f->terms[i].variable];

		if (v->is_unknown &&
		    (!v->node || sc_flow_in_loop(&e->k->flow, node_at(e, v->node)->block, loop)))
			return 0;
	}
	return 1;
}

static bool read_race(struct sc_eval *e, uint32_t node, bool negated, uint32_t loop, struct race *r)
{
	uint32_t counter = e->loops[loop].counter;
	const struct sc_value_node *n = node_at(e, node);
	struct sc_linear_form x = sc_eval_node(e, n->a, n->block),
			      y = sc_eval_node(e, n->b, n->block);

	r->op = negated ? opposite(n->aux) : n->aux;
	r->bits = node_at(e, n->a)->bits;
	r->is_signed = n->is_signed;
	if (!sc_form_factor(&x, counter)) {
		struct sc_linear_form swap = x;

		x = y;
		y = swap;
		r->op = mirrored(r->op);
	}
	if (x.base_kind && x.base_kind == y.base_kind && x.base == y.base)
		x.base_kind = y.base_kind = SC_FORM_PLAIN;
	if (!sc_eval_concrete(e, &x) || !sc_eval_concrete(e, &y) || sc_form_factor(&y, counter))
		return 0;
	r->step = sc_form_factor(&x, counter);
	r->start = sc_form_without(&x, counter);
	r->limit = y;
	if (!r->step || r->step == INT64_MIN || !is_steady(e, &r->start, loop) ||
	    !is_steady(e, &y, loop))
		return 0;
	if (r->op == SC_COMPARE_NE &&
	    !(sc_eval_fit(e, &r->start, r->bits, 1) && sc_eval_fit(e, &r->limit, r->bits, 1)))
		r->is_signed = 0;
	else if (r->op == SC_COMPARE_NE)
		r->is_signed = 1;
	return sc_eval_fit(e, &r->start, r->bits, r->is_signed) &&
	       sc_eval_fit(e, &r->limit, r->bits, r->is_signed);
}

/* True if nothing wraps before the test fails, so that numbers behave. */
static bool is_fair(const struct sc_eval *e, const struct race *r)
{
	struct sc_form_span w = sc_eval_window_of(r->bits, r->is_signed);
	struct sc_form_span limit = sc_eval_span(e, &r->limit);
	struct sc_linear_form way;
	bool strict = r->op == SC_COMPARE_LT || r->op == SC_COMPARE_GT;

	if (r->op == SC_COMPARE_NE)
		return sc_form_add(&way, &r->limit, &r->start, -1) &&
		       sc_form_scale(&way, &way, r->step > 0 ? 1 : -1) &&
		       is_multiple(&way, r->step) && sc_eval_span(e, &way).low >= 0;
	if (r->step > 0 && (r->op == SC_COMPARE_LT || r->op == SC_COMPARE_LE))
		return r->step < SC_INFINITE / 2 && limit.high < SC_INFINITE / 2 &&
		       limit.high - strict + r->step <= w.high;
	if (r->step < 0 && (r->op == SC_COMPARE_GT || r->op == SC_COMPARE_GE))
		return r->step > -SC_INFINITE / 2 && limit.low > -SC_INFINITE / 2 &&
		       limit.low + strict + r->step >= w.low;
	return 0;
}

static bool resolve_compare(struct sc_eval *e, struct sc_loop_value *lv, uint32_t node,
			    bool negated)
{
	struct sc_resolved *out = &lv->tests[lv->count];
	struct sc_linear_form k = sc_form_variable(lv->counter);
	struct race r;

	if (lv->count == sizeof(lv->tests) / sizeof(*lv->tests) ||
	    !read_race(e, node, negated, (uint32_t)(lv - e->loops), &r) || !is_fair(e, &r))
		return 0;
	out->bound = r.op == SC_COMPARE_LE || r.op == SC_COMPARE_GE ? 0 : -1;
	if (!sc_form_add(&out->form, &r.start, &r.limit, -1) ||
	    !sc_form_scale(&out->form, &out->form, r.step > 0 ? 1 : -1) ||
	    !sc_form_add(&out->form, &out->form, &k, r.step > 0 ? r.step : -r.step))
		return 0;
	lv->count++;
	return 1;
}

/* All comparisons that must hold; false if something else must hold too. */
static bool resolve(struct sc_eval *e, struct sc_loop_value *lv, uint32_t node, bool negated,
		    unsigned depth)
{
	const struct sc_value_node *n = node_at(e, node);
	bool x, y;

	if (depth > 8)
		return 0;
	if (n->op == SC_NODE_NOT)
		return resolve(e, lv, n->a, !negated, depth + 1);
	if (n->op == SC_NODE_CONST)
		return !n->value == negated;
	if (n->op == (negated ? SC_NODE_OR : SC_NODE_AND)) {
		x = resolve(e, lv, n->a, negated, depth + 1);
		y = resolve(e, lv, n->b, negated, depth + 1);
		return x && y;
	}
	return n->op == SC_NODE_COMPARE && resolve_compare(e, lv, node, negated);
}

/* Greatest iteration that the resolved tests allow. */
static int64_t last_iteration(struct sc_eval *e, const struct sc_loop_value *lv)
{
	int64_t last = ENDLESS;

	for (uint32_t i = 0; i < lv->count; i++) {
		const struct sc_resolved *t = &lv->tests[i];
		struct sc_linear_form start = sc_form_without(&t->form, lv->counter);
		struct sc_form_span span = sc_eval_span(e, &start);
		int64_t step = sc_form_factor(&t->form, lv->counter), bound;

		if (span.low <= -SC_INFINITE)
			continue;
		bound = span.low > t->bound ? 0 : (t->bound - span.low) / step + 1;
		if (bound < last)
			last = bound;
	}
	return last;
}

static uint32_t counter_of(struct sc_eval *e, uint32_t loop)
{
	struct sc_linear_form f;

	if (sc_flow_in_loop(&e->k->flow, e->site->block, loop))
		return SC_VAR_COUNTER + e->k->flow.loops.items[loop].depth;
	f = sc_eval_fresh(e, 0, ENDLESS, SC_REASON_LOOP);
	return f.count ? f.terms[0].variable : SC_VAR_COUNTER;
}

bool sc_eval_promise(struct sc_eval *e, const struct sc_linear_form *f, unsigned bits,
		     bool is_signed)
{
	if (!e->busy_loops || f->base_kind || e->promise_count == SC_EVAL_PROMISES)
		return 0;
	e->promises[e->promise_count++] =
		(struct sc_promise){.form = *f, .bits = bits, .is_signed = is_signed};
	return 1;
}

/* True if all promises made since `first` hold, now that the loop is bounded. */
static bool keeps_promises(const struct sc_eval *e, uint32_t first)
{
	for (uint32_t i = first; i < e->promise_count; i++) {
		const struct sc_promise *p = &e->promises[i];
		struct sc_form_span w = sc_eval_window_of(p->bits, p->is_signed);
		struct sc_form_span span = sc_eval_span(e, &p->form);

		if (span.low < w.low || span.high > w.high)
			return 0;
	}
	return 1;
}

/* Resolves the stay tests as if all promises would hold. */
static void resolve_tests(struct sc_eval *e, struct sc_loop_value *lv, const struct sc_stay *stay)
{
	uint32_t first = e->promise_count;
	bool was_trying = e->is_trying;

	e->is_trying = 1;
	e->busy_loops++;
	e->memo++;
	for (uint32_t i = 0; i < stay->count; i++)
		if (!resolve(e, lv, stay->tests[i].node, stay->tests[i].negated, 0))
			lv->reason = SC_REASON_LOOP;
	e->busy_loops--;
	e->is_trying = was_trying;
	e->memo++;
	e->box.v[lv->counter].high = last_iteration(e, lv);
	if (!keeps_promises(e, first)) {
		lv->count = 0;
		e->box.v[lv->counter].high = ENDLESS;
	}
	if (!lv->count && !lv->reason)
		lv->reason = SC_REASON_LOOP;
	if (!e->busy_loops)
		e->promise_count = 0;
}

struct sc_loop_value *sc_eval_loop(struct sc_eval *e, uint32_t loop)
{
	struct sc_loop_value *lv = &e->loops[loop];
	const struct sc_stay *stay = &e->k->guards.stays[loop];

	if (lv->run == e->run && lv->state != SC_LOOP_NEW)
		return lv;
	if (e->k->flow.loops.items[loop].parent != SC_FLOW_NONE)
		sc_eval_loop(e, e->k->flow.loops.items[loop].parent);
	*lv = (struct sc_loop_value){.run = e->run, .state = SC_LOOP_BUSY};
	lv->counter = counter_of(e, loop);
	lv->reason = stay->reason;
	e->box.v[lv->counter] = (struct sc_form_variable){.high = ENDLESS,
							  .is_unknown = lv->counter >= SC_VAR_FREE,
							  .reason = SC_REASON_LOOP};
	resolve_tests(e, lv, stay);
	lv->state = SC_LOOP_KNOWN;
	return lv;
}

/* The summands between a phi and its next value. */
struct step {
	uint32_t nodes[STEP_PARTS];
	int signs[STEP_PARTS];
	unsigned count;
	unsigned fuel;
	unsigned narrow; /* bits that the value is cut to on its way, or 0 */
	bool is_signed;	 /* how it is extended again */
};

static bool add_part(struct step *s, uint32_t node, int sign)
{
	if (s->count == STEP_PARTS)
		return 0;
	s->nodes[s->count] = node;
	s->signs[s->count++] = sign;
	return 1;
}

static bool find_step(const struct sc_eval *e, struct step *s, uint32_t node, uint32_t phi)
{
	const struct sc_value_node *n = node_at(e, node);
	unsigned mark = s->count;

	if (node == phi)
		return 1;
	if (!s->fuel)
		return 0;
	s->fuel--;
	if (n->op == SC_NODE_EXTEND && node_at(e, n->a)->op == SC_NODE_TRUNCATE && !s->narrow) {
		s->narrow = node_at(e, n->a)->bits;
		s->is_signed = n->is_signed;
		return find_step(e, s, node_at(e, n->a)->a, phi);
	}
	if (n->op != SC_NODE_ADD && n->op != SC_NODE_SUB)
		return 0;
	if (find_step(e, s, n->a, phi))
		return add_part(s, n->b, n->op == SC_NODE_ADD ? 1 : -1);
	s->count = mark;
	if (n->op == SC_NODE_ADD && find_step(e, s, n->b, phi))
		return add_part(s, n->a, 1);
	s->count = mark;
	return 0;
}

static bool step_of(struct sc_eval *e, uint32_t next, uint32_t phi, int64_t *step,
		    struct step *found)
{
	struct step s = {.fuel = STEP_FUEL};
	struct sc_linear_form sum = {0}, part;

	if (!find_step(e, &s, next, phi))
		return 0;
	for (unsigned i = 0; i < s.count; i++) {
		part = sc_eval_node(e, s.nodes[i], node_at(e, s.nodes[i])->block);
		if (part.base_kind || !sc_form_add(&sum, &sum, &part, s.signs[i]))
			return 0;
	}
	*found = s;
	*step = sum.constant;
	if (node_at(e, phi)->bits < 64)
		*step = (int64_t)((uint64_t)*step << (64 - node_at(e, phi)->bits)) >>
			(64 - node_at(e, phi)->bits);
	return !sum.count;
}

/* The two sides of a header's phi: what enters the loop, and one next value. */
static bool read_sides(struct sc_eval *e, uint32_t node, struct sc_linear_form *init,
		       uint32_t *next)
{
	const struct sc_value_node *n = node_at(e, node);
	const struct sc_block *b = &e->k->flow.blocks.items[n->block];
	uint32_t entry = 0, from = 0;

	*next = 0;
	for (uint32_t i = 0; i < n->b; i++) {
		const struct sc_flow_edge *edge =
			&e->k->flow.edges.items[e->k->flow.pred_edges.items[b->pred_first + i]];
		uint32_t arg = e->k->graph.phi_args.items[n->a + i];
		uint32_t *side = edge->is_back ? next : &entry;

		if (*side && *side != arg)
			return 0;
		*side = arg;
		if (!edge->is_back)
			from = edge->from;
	}
	if (!entry || !*next)
		return 0;
	*init = sc_eval_node(e, entry, from);
	return 1;
}

/* True if a value is the phi plus or minus something, whichever way it came about. */
static bool derives(const struct sc_eval *e, uint32_t node, uint32_t phi, unsigned *fuel)
{
	const struct sc_value_node *n = node_at(e, node);

	if (node == phi)
		return 1;
	if (!*fuel)
		return 0;
	--*fuel;
	if (n->op == SC_NODE_ADD)
		return derives(e, n->a, phi, fuel) || derives(e, n->b, phi, fuel);
	if (n->op == SC_NODE_SUB)
		return derives(e, n->a, phi, fuel);
	if (n->op == SC_NODE_SELECT)
		return derives(e, n->b, phi, fuel) && derives(e, n->c, phi, fuel);
	if (n->op != SC_NODE_PHI || n->block <= node_at(e, phi)->block)
		return 0;
	for (uint32_t i = 0; i < n->b; i++)
		if (e->k->graph.phi_args.items[n->a + i] != node &&
		    !derives(e, e->k->graph.phi_args.items[n->a + i], phi, fuel))
			return 0;
	return 1;
}

/* The bound that a test `next < limit` puts on the phi from the second iteration on. */
static int64_t test_bound(struct sc_eval *e, uint32_t loop, uint32_t next, int64_t high)
{
	const struct sc_stay *stay = &e->k->guards.stays[loop];

	for (uint32_t i = 0; i < stay->count; i++) {
		const struct sc_value_node *n = node_at(e, stay->tests[i].node);
		uint8_t op = stay->tests[i].negated ? opposite(n->aux) : n->aux;
		struct sc_linear_form limit;
		struct sc_form_span span;

		if (n->op != SC_NODE_COMPARE || n->a != next ||
		    (op != SC_COMPARE_LT && op != SC_COMPARE_LE))
			continue;
		limit = sc_eval_number(e, n->b, n->block, n->is_signed);
		span = sc_eval_span(e, &limit);
		if (span.low >= 0 && span.high - (op == SC_COMPARE_LT) < high)
			high = span.high - (op == SC_COMPARE_LT);
	}
	return high;
}

/* A phi that grows or shrinks by a factor stays within its first value and its last test. */
static struct sc_linear_form geometric(struct sc_eval *e, uint32_t node,
				       const struct sc_linear_form *init, uint32_t next)
{
	const struct sc_value_node *n = node_at(e, next);
	struct sc_form_span span = sc_eval_span(e, init);
	struct sc_form_span w = sc_eval_window_of(node_at(e, node)->bits, 1);
	bool by_constant = node_at(e, n->b)->op == SC_NODE_CONST && node_at(e, n->b)->value > 0;
	int64_t high;

	if (init->base_kind || span.low < 0 || span.high > w.high || n->a != node)
		return sc_eval_unknown(e, node, 1, SC_REASON_CARRIED);
	if ((n->op == SC_NODE_SHR || n->op == SC_NODE_DIV) && by_constant)
		return sc_eval_fresh(e, 0, span.high, SC_REASON_CARRIED);
	if ((n->op == SC_NODE_SHL && by_constant && node_at(e, n->b)->value == 1) ||
	    (n->op == SC_NODE_ADD && n->b == node)) {
		high = test_bound(e, e->k->flow.blocks.items[node_at(e, node)->block].loop, next,
				  w.high);
		if (span.high > high)
			high = span.high;
		if (high <= w.high / 2)
			return sc_eval_fresh(e, span.low, high, SC_REASON_CARRIED);
	}
	return sc_eval_unknown(e, node, 1, SC_REASON_CARRIED);
}

/* True if the value fits wherever it is cut to fewer bits on its way. */
static bool keeps_course(struct sc_eval *e, const struct sc_linear_form *f, const struct step *s)
{
	struct sc_form_span w = sc_eval_window_of(s->narrow, s->is_signed), span;

	if (!s->narrow || sc_eval_promise(e, f, s->narrow, s->is_signed))
		return 1;
	span = sc_eval_span(e, f);
	return span.low >= w.low && span.high <= w.high;
}

struct sc_linear_form sc_eval_header_phi(struct sc_eval *e, uint32_t node)
{
	uint32_t loop = e->k->flow.blocks.items[node_at(e, node)->block].loop, next;
	struct sc_loop_value *lv = sc_eval_loop(e, loop);
	struct sc_linear_form init, out, k = sc_form_variable(lv->counter);
	unsigned fuel = STEP_FUEL;
	struct step found;
	int64_t step;

	if (!read_sides(e, node, &init, &next))
		return sc_eval_unknown(e, node, 1, SC_REASON_CARRIED);
	if (step_of(e, next, node, &step, &found) && sc_form_add(&out, &init, &k, step) &&
	    keeps_course(e, &out, &found))
		return out;
	if (init.base_kind && derives(e, next, node, &fuel)) {
		out = sc_eval_fresh(e, -SC_INFINITE, SC_INFINITE, SC_REASON_CARRIED);
		if (sc_form_add(&out, &out, &init, 1))
			return out;
	}
	return geometric(e, node, &init, next);
}

struct sc_linear_form sc_eval_after_loop(struct sc_eval *e, uint32_t loop,
					 const struct sc_linear_form *f)
{
	struct sc_loop_value *lv = sc_eval_loop(e, loop);
	const struct sc_resolved *t = &lv->tests[0];
	struct sc_linear_form start, count, out = *f;
	struct sc_form_span span;

	if (!sc_form_factor(f, lv->counter))
		return out;
	if (!lv->reason && lv->count == 1 && lv->state == SC_LOOP_KNOWN) {
		int64_t step = sc_form_factor(&t->form, lv->counter);

		start = sc_form_without(&t->form, lv->counter);
		span = sc_eval_span(e, &start);
		count = sc_form_constant(0);
		if (span.low > t->bound ||
		    (span.high <= t->bound && sc_form_scale(&count, &start, -1) &&
		     !__builtin_add_overflow(count.constant, t->bound, &count.constant) &&
		     sc_eval_quotient(e, &count, step, &count) &&
		     !__builtin_add_overflow(count.constant, 1, &count.constant))) {
			if (sc_form_replace(&out, lv->counter, &count))
				return out;
		} else if (span.high > t->bound) {
			sc_eval_split(e, &start, t->bound);
		}
	}
	count = sc_eval_fresh(e, 0, e->box.v[lv->counter].high, SC_REASON_LOOP);
	if (sc_form_replace(&out, lv->counter, &count))
		return out;
	return sc_eval_fresh(e, -SC_INFINITE, SC_INFINITE, SC_REASON_LOOP);
}
