/* Evaluation of a launch: site by site, case by case. */
#include "footprint/eval.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "footprint/clause.h"
#include "footprint/region.h"
#include "base/heap.h"

/* Steps of work (eval.h). When a kernel has used up its own, each further launch gets the last. */
#define FUEL	       20000 /* for one case */
#define CASE_FUEL      8     /* that a case takes beside its nodes */
#define ADDRESS_FUEL   1000  /* for the address of a case whose conditions were too much */
#define LAUNCH_FUEL    400000
#define LAUNCH_RESERVE 200000 /* for such addresses */
#define KERNEL_FUEL    8000000
#define LATER_FUEL     25000
#define SPLITS	       40 /* of one site */
#define CASES	       48 /* waiting at one time */
#define SIZE_LIMIT     (INT64_C(1) << 31)

/* Large scratch memory, one for a module. */
struct sc_evaluation {
	struct sc_eval *e;
	sc_range_list *out;
	struct sc_clauses clauses;
	struct sc_clauses around;	     /* of the block of `before`, without a guard */
	const struct sc_memory_site *before; /* whose run can be gone on with, or NULL */
	bool is_whole;			     /* the case is all threads */
	struct sc_region region;
	struct sc_case *cases; /* owned: a stack */
	uint32_t count;
	uint32_t fuel;	  /* steps left for the launch */
	uint32_t reserve; /* for addresses without their conditions */
};

static void burn(uint32_t *fuel, uint32_t steps)
{
	*fuel -= steps < *fuel ? steps : *fuel;
}

static struct sc_footprint_range start_range(const struct sc_memory_site *site)
{
	return (struct sc_footprint_range){.mode = site->mode,
					   .reason = site->reason,
					   .base_kind = SC_BASE_UNKNOWN,
					   .rows = 1,
					   .slices = 1,
					   .line = site->line,
					   .early = site->early};
}

static void emit_unknown(struct sc_evaluation *v, const struct sc_memory_site *site, uint8_t reason)
{
	struct sc_footprint_range range = start_range(site);

	range.is_unbounded = 1;
	range.reason = range.reason ? range.reason : reason;
	if (site->mode & SC_FOOTPRINT_OBJECT)
		range.reason = SC_REASON_TEXTURE;
	sc_vector_push(v->out, range);
}

/* Demands of the threads what the site's block demands, from the outermost loop inwards. */
static void demand_block(struct sc_evaluation *v)
{
	struct sc_footprint_kernel *k = v->e->k;
	const struct sc_memory_site *site = v->e->site;
	uint32_t around[SC_FLOW_DEPTH], depth = 0;
	uint32_t loop = k->flow.blocks.items[site->block].loop;

	for (; loop != SC_FLOW_NONE && depth < SC_FLOW_DEPTH;
	     loop = k->flow.loops.items[loop].parent)
		around[depth++] = loop;
	sc_clauses_start(&v->clauses);
	while (depth-- > 0) {
		sc_clauses_path(v->e, &v->clauses, &k->guards.loops[around[depth]]);
		sc_clauses_iteration(v->e, &v->clauses, around[depth]);
	}
	sc_clauses_path(v->e, &v->clauses, &k->guards.blocks[site->block]);
}

/* Bytes of one access; false if nothing is touched. */
static bool read_width(struct sc_eval *e, struct sc_region *r)
{
	const struct sc_memory_site *site = e->site;
	struct sc_linear_form size;
	struct sc_form_span span;

	r->width = site->width;
	if (!site->size)
		return 1;
	size = sc_eval_number(e, site->size, site->block, 0);
	span = sc_eval_span(e, &size);
	if (span.low != span.high && !r->reason)
		r->reason = SC_REASON_SIZE;
	r->is_unbounded |= span.high > SIZE_LIMIT;
	r->width = (uint64_t)span.high;
	return span.high > 0;
}

/* Rows of a matrix fragment. */
static void read_rows(struct sc_eval *e, struct sc_region *r)
{
	const struct sc_memory_site *site = e->site;
	struct sc_linear_form pitch;

	if (site->rows < 2)
		return;
	pitch = sc_eval_number(e, site->pitch, site->block, 1);
	if (pitch.count || pitch.base_kind || llabs(pitch.constant) > SIZE_LIMIT) {
		r->is_unbounded = 1;
		r->reason = r->reason ? r->reason : SC_REASON_NONLINEAR;
		return;
	}
	sc_region_extend(r, pitch.constant * site->pitch_bytes, site->rows);
}

static void emit_clause(struct sc_evaluation *v, const struct sc_linear_form *address,
			const struct sc_clause *clause, const struct sc_footprint_range *like)
{
	sc_region_make(&v->region, v->e, address, clause);
	if (like->reason)
		v->region.reason = like->reason;
	if (!read_width(v->e, &v->region))
		return;
	read_rows(v->e, &v->region);
	if (!sc_eval_stopped(v->e))
		sc_region_emit(v->e, &v->region, like, v->out);
}

/* A handle is a parameter as it was given; texture references are variables. */
static bool is_no_handle(const struct sc_memory_site *site, const struct sc_linear_form *address)
{
	return site->mode & SC_FOOTPRINT_OBJECT &&
	       (address->base_kind != SC_FORM_PARAM || address->count || address->constant);
}

static void emit_address(struct sc_evaluation *v, const struct sc_linear_form *address)
{
	const struct sc_memory_site *site = v->e->site;
	struct sc_footprint_range like = start_range(site);

	if (address->base_kind == SC_FORM_PLAIN || is_no_handle(site, address)) {
		emit_unknown(v, site, SC_REASON_POINTER);
		return;
	}
	if (address->base_kind == SC_FORM_PRIVATE)
		return;
	like.base_kind = address->base_kind == SC_FORM_PARAM ? SC_BASE_PARAMETER : SC_BASE_SYMBOL;
	like.base = address->base;
	like.may_be_offset = address->base_kind == SC_FORM_PARAM &&
			     !sc_u64_map_find(&v->e->k->pointers, address->base);
	for (size_t i = 0; i < v->clauses.list.count; i++)
		emit_clause(v, address, &v->clauses.list.items[i], &like);
}

static void start_run(struct sc_evaluation *v, struct sc_case *now, uint32_t fuel)
{
	struct sc_eval *e = v->e;

	v->before = NULL;
	e->now = now;
	e->run++;
	e->memo++;
	e->request.kind = SC_REQUEST_NONE;
	e->failed = 0;
	e->is_trying = 0;
	e->busy_loops = 0;
	e->promise_count = 0;
	e->depth = 0;
	e->fuel = fuel;
	e->next_variable = SC_VAR_FREE;
	sc_vector_clear(&e->values);
	for (unsigned i = 0; i < 6; i++)
		e->box.v[i] = (struct sc_form_variable){
			.high = (int64_t)(i < 3 ? e->launch->block[i] : e->launch->grid[i - 3]) -
				1};
	for (uint32_t i = 0; i < now->made_count; i++)
		e->box.v[SC_VAR_MADE + i] = now->made[i];
}

/* Adds low ≤ form ≤ high to a case; false if it contradicts what is there. */
static bool add_fact(struct sc_case *c, const struct sc_linear_form *form, int64_t low,
		     int64_t high)
{
	struct sc_constraint fact = sc_form_at_most(form, high);
	struct sc_linear_form minus;
	struct sc_constraint other;

	if (!sc_form_scale(&minus, form, -1) || c->fact_count == SC_EVAL_FACTS)
		return 1;
	other = sc_form_at_most(&minus, -low);
	fact.low = other.low > fact.low ? other.low : fact.low;
	fact.high = other.high < fact.high ? other.high : fact.high;
	if (!fact.form.count)
		return fact.high >= 0;
	for (uint32_t i = 0; i < c->fact_count; i++) {
		struct sc_constraint *old = &c->facts[i];

		if (sc_form_ratio(&old->form, &fact.form) != 1)
			continue;
		old->low = fact.low > old->low ? fact.low : old->low;
		old->high = fact.high < old->high ? fact.high : old->high;
		return old->low <= old->high;
	}
	c->facts[c->fact_count++] = fact;
	return 1;
}

/* Writes a variable of the case as a form over others, everywhere. */
static bool substitute(struct sc_case *c, uint32_t variable, const struct sc_linear_form *by)
{
	struct sc_case old = *c;

	for (unsigned i = 0; i < 6; i++)
		if (!sc_form_replace(&c->leaves[i], variable, by))
			return 0;
	c->fact_count = 0;
	for (uint32_t i = 0; i < old.fact_count; i++) {
		if (!sc_form_replace(&old.facts[i].form, variable, by))
			return 0;
		add_fact(c, &old.facts[i].form, old.facts[i].low, old.facts[i].high);
	}
	return 1;
}

static uint32_t make_variable(struct sc_case *c, int64_t low, int64_t high)
{
	c->made[c->made_count] = (struct sc_form_variable){.low = low, .high = high};
	return SC_VAR_MADE + c->made_count++;
}

/* variable = radix × q + d */
static bool split_digits(const struct sc_eval *e, struct sc_case *c)
{
	const struct sc_request *q = &e->request;
	struct sc_form_variable v = e->box.v[q->variable];
	int64_t first = sc_floor_div(v.low, q->radix), last = sc_floor_div(v.high, q->radix);
	struct sc_linear_form high = sc_form_variable(make_variable(c, first, last));
	struct sc_linear_form low = sc_form_variable(make_variable(c, 0, q->radix - 1)), by;

	if (!sc_form_add(&by, &low, &high, q->radix) || !substitute(c, q->variable, &by))
		return 0;
	if (v.low != first * q->radix || v.high != last * q->radix + q->radix - 1)
		add_fact(c, &by, v.low, v.high);
	return 1;
}

/* The sum becomes a variable, and the coordinate what is missing to it. */
static bool fuse_sum(const struct sc_eval *e, struct sc_case *c)
{
	const struct sc_request *q = &e->request;
	struct sc_form_variable v = e->box.v[q->variable];
	struct sc_form_span span = sc_eval_span(e, &q->form);
	struct sc_linear_form sum = sc_form_variable(make_variable(c, span.low, span.high));
	struct sc_linear_form rest = sc_form_without(&q->form, q->variable), by;

	return sc_form_add(&by, &sum, &rest, -1) && substitute(c, q->variable, &by) &&
	       add_fact(c, &by, v.low, v.high);
}

static void serve_request(struct sc_evaluation *v, const struct sc_case *from)
{
	const struct sc_request *q = &v->e->request;
	struct sc_case *c = &v->cases[v->count];

	*c = *from;
	if (q->kind == SC_REQUEST_SPLIT) {
		v->e->splits_left--;
		v->count += add_fact(c, &q->form, -SC_INFINITE, q->bound);
		c = &v->cases[v->count];
		*c = *from;
		v->count += add_fact(c, &q->form, q->bound + 1, SC_INFINITE);
		return;
	}
	c->restarts++;
	if (!(q->kind == SC_REQUEST_DIGITS ? split_digits(v->e, c) : fuse_sum(v->e, c))) {
		*c = *from;
		c->restarts = UINT32_MAX;
	}
	v->count++;
}

static void emit_site(struct sc_evaluation *v)
{
	const struct sc_memory_site *site = v->e->site;
	struct sc_linear_form address;

	if (!site->address) {
		emit_unknown(v, site, SC_REASON_POINTER);
		return;
	}
	address = sc_eval_node(v->e, site->address, site->block);
	if (!sc_eval_stopped(v->e))
		emit_address(v, &address);
}

/* The address alone, whatever the conditions: for what is too much for the budget. */
static void emit_unconditional(struct sc_evaluation *v, struct sc_case *now)
{
	uint32_t fuel = v->reserve < ADDRESS_FUEL ? v->reserve : ADDRESS_FUEL;

	if (fuel) {
		start_run(v, now, fuel);
		v->e->is_trying = 1;
		sc_clauses_start(&v->clauses);
		sc_clauses_doubt(&v->clauses, SC_REASON_BUDGET);
		emit_site(v);
		burn(&v->reserve, fuel - v->e->fuel + CASE_FUEL);
	}
	if (!fuel || v->e->failed)
		emit_unknown(v, v->e->site, SC_REASON_BUDGET);
}

/* All that sites of one block have in common is worked out once, as long as no case is split. */
static void demand_around(struct sc_evaluation *v, struct sc_case *now, uint32_t fuel)
{
	struct sc_eval *e = v->e;

	if (v->is_whole && v->before && v->before->block == e->site->block &&
	    e->next_variable < SC_BOX_VARIABLES / 2) {
		e->now = now;
		e->fuel = fuel;
		sc_clauses_copy(e, &v->clauses, &v->around);
		return;
	}
	start_run(v, now, fuel);
	demand_block(v);
	if (!v->is_whole || sc_eval_stopped(e))
		return;
	sc_clauses_copy(e, &v->around, &v->clauses);
	v->before = e->site;
}

/* Evaluates a case; false if it came to nothing, for v->e->request or v->e->failed_reason. */
static bool evaluate_fully(struct sc_evaluation *v, struct sc_case *now)
{
	const struct sc_memory_site *site = v->e->site;
	uint32_t fuel = v->fuel < FUEL ? v->fuel : FUEL;
	size_t before = v->out->count;

	demand_around(v, now, fuel);
	if (site->guard)
		sc_clauses_literal(v->e, &v->clauses, site->guard, !site->guard_negated);
	if (!sc_eval_stopped(v->e) && v->clauses.list.count)
		emit_site(v);
	burn(&v->fuel, fuel - v->e->fuel + CASE_FUEL);
	if (!sc_eval_stopped(v->e))
		return 1;
	v->before = NULL;
	v->out->count = before;
	return 0;
}

static void evaluate_case(struct sc_evaluation *v, struct sc_case *now)
{
	const struct sc_eval *e = v->e;

	if (v->fuel && evaluate_fully(v, now))
		return;
	if (!v->fuel || (e->failed && e->failed_reason == SC_REASON_BUDGET))
		emit_unconditional(v, now);
	else if (e->failed || v->count + 2 > CASES)
		emit_unknown(v, e->site, e->failed ? e->failed_reason : SC_REASON_SHAPE);
	else
		serve_request(v, now);
}

static void evaluate_site(struct sc_evaluation *v, const struct sc_memory_site *site)
{
	struct sc_case now, *first = &v->cases[0];

	memset(first, 0, sizeof(*first));
	for (uint32_t i = 0; i < 6; i++) {
		uint32_t size = i < 3 ? v->e->launch->block[i] : v->e->launch->grid[i - 3];

		first->leaves[i] = size > 1 ? sc_form_variable(i) : sc_form_constant(0);
	}
	v->count = 1;
	v->is_whole = 1;
	v->e->site = site;
	v->e->splits_left = SPLITS;
	while (v->count) {
		now = v->cases[--v->count];
		evaluate_case(v, &now);
		v->is_whole = 0;
	}
}

static struct sc_eval *scratch(struct sc_footprint_kernel *k)
{
	size_t nodes = k->graph.nodes.count;

	if (k->eval)
		return k->eval;
	k->eval = sc_heap_xcalloc(1, sizeof(*k->eval));
	k->eval->k = k;
	k->eval->memo_stamp = sc_heap_xcalloc(nodes, sizeof(uint32_t));
	k->eval->memo_slot = sc_heap_xcalloc(nodes, sizeof(uint32_t));
	k->eval->unknown_stamp = sc_heap_xcalloc(nodes * 2, sizeof(uint32_t));
	k->eval->unknown_variable = sc_heap_xcalloc(nodes * 2, sizeof(uint32_t));
	k->eval->loops = sc_heap_xcalloc(k->flow.loops.count + 1, sizeof(*k->eval->loops));
	return k->eval;
}

static struct sc_evaluation *shared_scratch(struct sc_footprint_module *m)
{
	if (!m->evaluation) {
		m->evaluation = sc_heap_xcalloc(1, sizeof(*m->evaluation));
		m->evaluation->cases = sc_heap_xcalloc(CASES + 2, sizeof(struct sc_case));
	}
	return m->evaluation;
}

void sc_evaluate_free_shared(struct sc_evaluation *v)
{
	if (!v)
		return;
	sc_clauses_fini(&v->clauses);
	sc_clauses_fini(&v->around);
	free(v->cases);
	free(v);
}

void sc_evaluate_free(struct sc_eval *e)
{
	if (!e)
		return;
	free(e->memo_stamp);
	free(e->memo_slot);
	free(e->unknown_stamp);
	free(e->unknown_variable);
	free(e->loops);
	sc_vector_fini(&e->values);
	free(e);
}

static bool is_empty(const struct sc_footprint_launch *launch)
{
	for (unsigned i = 0; i < 3; i++)
		if (!launch->grid[i] || !launch->block[i])
			return 1;
	return 0;
}

void sc_evaluate_launch(struct sc_footprint_kernel *k, const struct sc_footprint_launch *launch,
			sc_range_list *out)
{
	static const struct sc_memory_site anything = {
		.mode = SC_FOOTPRINT_READ | SC_FOOTPRINT_WRITE, .early = SC_EARLY_MAYBE};
	sc_site_firsts firsts = {0};
	struct sc_evaluation *v;
	uint32_t given;

	if (is_empty(launch))
		return;
	v = shared_scratch(k->module);
	v->out = out;
	if (k->refused) {
		emit_unknown(v, &anything, k->refused);
		return;
	}
	v->e = scratch(k);
	v->e->launch = launch;
	v->fuel = k->steps < KERNEL_FUEL ? LAUNCH_FUEL : LATER_FUEL;
	v->reserve = k->steps < KERNEL_FUEL ? LAUNCH_RESERVE : LATER_FUEL;
	given = v->fuel + v->reserve;
	v->before = NULL;
	for (size_t i = 0; i < k->graph.sites.count; i++) {
		sc_vector_push(&firsts, out->count);
		evaluate_site(v, &k->graph.sites.items[i]);
	}
	sc_vector_push(&firsts, out->count);
	k->steps += given - v->fuel - v->reserve;
	sc_refine_launch(k, launch, &firsts, out);
	sc_vector_fini(&firsts);
}
