/* The second pass: which records findings refer to, and what these records add to the findings. */
#include "analyzer/model/second_pass.h"

#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/run/overlap.h"

/* What a visit of the trace needs. */
struct visitor {
	struct sc_second_pass *pass;
	struct sc_reader *reader;
	struct sc_callsites *sites;
};

struct sc_record sc_second_pass_copy(struct sc_second_pass *p, const struct sc_record *r)
{
	struct sc_record copy = *r;

	copy.attachments = sc_arena_xcopy(&p->arena, r->attachments, r->attachment_bytes);
	copy.accesses = NULL;
	copy.access_count = 0;
	return copy;
}

void sc_second_pass_want_cost(struct sc_second_pass *p, uint64_t site, const struct sc_finding *f,
			      const struct sc_op *op)
{
	sc_costs_want(&p->costs, site, op);
	sc_kinds_add(&p->costly, op->kind);
	if (f->rule == SC_RULE_302)
		sc_stalls_want(&p->stalls, site, op);
}

static void want_all(struct sc_second_pass *p, const struct sc_finding *f)
{
	uint64_t ops[SC_FINDING_OPS];
	unsigned count = sc_finding_ops(f, ops);

	for (unsigned i = 0; i < count; i++)
		sc_vector_push(&p->wanted, ops[i]);
}

/* True if a finding refers to the record; called for each record in order. */
static bool is_wanted(struct sc_second_pass *p, uint64_t sequence)
{
	const uint64_t *list = p->wanted.items;

	while (p->reached < p->wanted.count && list[p->reached] < sequence)
		p->reached++;
	return p->reached < p->wanted.count && list[p->reached] == sequence;
}

static bool is_of_range(const struct sc_op *op)
{
	return op->kind == SC_OP_RANGE_PUSH || op->kind == SC_OP_RANGE_POP ||
	       op->kind == SC_OP_RANGE_START || op->kind == SC_OP_RANGE_END;
}

/* Without device times only calls that wait have a cost, and these have two records. */
static bool is_costly(const struct sc_second_pass *p, const struct sc_op *op)
{
	return p->times.list.count || op->phase != SC_PHASE_ONCE || is_of_range(op);
}

/* True for the records that the pass visits. */
static bool is_visited(void *data, const struct sc_op *op, uint64_t sequence)
{
	const struct visitor *v = data;

	return is_costly(v->pass, op) || is_wanted(v->pass, sequence);
}

static void keep(struct sc_second_pass *p, const struct sc_record *r)
{
	struct sc_record *copy = SC_ARENA_XNEW(&p->arena, struct sc_record);

	*copy = sc_second_pass_copy(p, r);
	*sc_u64_map_get(&p->records, r->sequence) = (uintptr_t)copy;
}

/* Keeps the record if a finding refers to it. */
static void visit(void *data, const struct sc_record *r)
{
	const struct visitor *v = data;
	struct sc_second_pass *p = v->pass;

	if (is_costly(p, &r->op)) {
		sc_device_times_visit(&p->times, r);
		sc_costs_visit(&p->costs, &p->times, v->sites, v->reader, r);
		sc_stalls_visit(&p->stalls, &p->times, v->sites, v->reader, r);
		sc_sections_visit(&p->sections, r);
	}
	if (!is_wanted(p, r->sequence))
		return;
	sc_sections_keep(&p->sections, r);
	keep(p, r);
}

static int by_number(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

/* Where a side was called, if the rule knew its place in the trace only. */
static void complete(struct sc_side *side, const struct sc_record *r)
{
	if (!r || side->thread)
		return;
	side->thread = r->op.thread;
	if (!side->stream && sc_op_kind_class(r->op.kind) == SC_CLASS_ENQUEUE)
		side->stream = r->op.stream;
}

/* What the line of an advice cost the host, the device, and the streams that it held up. */
static void add_cost(const struct visitor *v, struct sc_finding *f, const struct sc_record *r)
{
	struct sc_second_pass *p = v->pass;
	uint64_t site = sc_callsite_of(v->sites, v->reader, r->op.stack, r->sequence);
	const struct sc_cost *cost = sc_costs_of(&p->costs, site, &r->op);
	const struct sc_stall *stalls;
	size_t count = f->rule == SC_RULE_302 ? sc_stalls_of(&p->stalls, site, &r->op, &stalls) : 0;

	if (cost) {
		f->blocked_ns = cost->blocked_ns;
		f->idle_ns = cost->idle_ns;
	}
	if (!count)
		return;
	f->stalls = (uint32_t)(stalls - p->stalls.list.items);
	f->stall_count = (uint32_t)count;
	for (; count; count--, stalls++)
		f->held_ns += stalls->ns;
}

/* Adds to a finding what happened in this run, once all records that the finding needs are
 * there. */
static void add_facts(const struct visitor *v, struct sc_finding *f)
{
	const struct sc_record *first = sc_second_pass_record(v->pass, f->side[0].op);
	const struct sc_record *last = sc_second_pass_record(v->pass, f->side[f->sides > 1].op);

	complete(&f->side[0], first);
	sc_overlap_judge(&v->pass->times, f, first, last);
	if (f->severity == SC_ADVICE && last)
		add_cost(v, f, last);
}

/* The kinds of records that all passes look at: where no times of the device are known, and no call
 * of a wanted kind has two records, costs are nothing. */
static const struct sc_kinds *kinds_of_pass(const struct sc_second_pass *p,
					    const struct sc_reader *reader, struct sc_kinds *ranges)
{
	*ranges = (struct sc_kinds){0};
	sc_kinds_add(ranges, SC_OP_RANGE_PUSH);
	sc_kinds_add(ranges, SC_OP_RANGE_POP);
	sc_kinds_add(ranges, SC_OP_RANGE_START);
	sc_kinds_add(ranges, SC_OP_RANGE_END);
	return p->times.list.count || sc_reader_had_phases(reader, &p->costly) ? NULL : ranges;
}

void sc_second_pass_run(struct sc_second_pass *p, struct sc_reader *reader,
			struct sc_callsites *sites, struct sc_findings *findings)
{
	struct visitor visitor = {p, reader, sites};
	struct sc_visit pass = {.is_wanted = is_visited, .take = visit, .data = &visitor};
	struct sc_kinds kinds;

	sc_device_times_finish(&p->times);
	if (!findings->list.count)
		return;
	if (!sc_reader_is_whole(reader)) {
		for (size_t i = 0; i < findings->list.count; i++) {
			sc_second_pass_fetch(p, reader, &findings->list.items[i]);
			add_facts(&visitor, &findings->list.items[i]);
		}
		return;
	}
	for (size_t i = 0; i < findings->list.count; i++)
		want_all(p, &findings->list.items[i]);
	if (p->wanted.count)
		qsort(p->wanted.items, p->wanted.count, sizeof(*p->wanted.items), by_number);
	pass.kinds = kinds_of_pass(p, reader, &kinds);
	pass.places = p->wanted.items;
	pass.place_count = p->wanted.count;
	sc_reader_visit(reader, &pass);
	sc_costs_finish(&p->costs, &p->times);
	sc_stalls_finish(&p->stalls);
	for (size_t i = 0; i < findings->list.count; i++)
		add_facts(&visitor, &findings->list.items[i]);
}

void sc_second_pass_fetch(struct sc_second_pass *p, struct sc_reader *reader,
			  const struct sc_finding *f)
{
	struct sc_record record;

	sc_vector_clear(&p->wanted);
	want_all(p, f);
	for (size_t i = 0; i < p->wanted.count; i++)
		if (!sc_u64_map_find(&p->records, p->wanted.items[i]) &&
		    sc_reader_record(reader, p->wanted.items[i], &record))
			keep(p, &record);
	sc_vector_clear(&p->wanted);
}

void sc_second_pass_add(struct sc_second_pass *p, const struct sc_record *r)
{
	if (!sc_u64_map_find(&p->records, r->sequence))
		keep(p, r);
}

void sc_second_pass_keep_op(struct sc_second_pass *p, uint64_t sequence, const struct sc_op *op)
{
	uint64_t *place = sc_u64_map_get(&p->bare, sequence);
	struct sc_record *copy;

	if (*place)
		return;
	copy = SC_ARENA_XNEW(&p->arena, struct sc_record);
	*copy = (struct sc_record){.op = *op, .sequence = sequence};
	*place = (uintptr_t)copy;
}

const struct sc_record *sc_second_pass_record(const struct sc_second_pass *p, uint64_t sequence)
{
	const uint64_t *place = sc_u64_map_find(&p->records, sequence);

	if (!place)
		place = sc_u64_map_find(&p->bare, sequence);
	return place ? (const struct sc_record *)(uintptr_t)*place : NULL;
}

bool sc_second_pass_has(const void *data, uint64_t sequence)
{
	return sc_second_pass_record(data, sequence) != NULL;
}

void sc_second_pass_fini(struct sc_second_pass *p)
{
	sc_u64_map_fini(&p->records);
	sc_u64_map_fini(&p->bare);
	sc_vector_fini(&p->wanted);
	sc_device_times_fini(&p->times);
	sc_costs_fini(&p->costs);
	sc_stalls_fini(&p->stalls);
	sc_sections_fini(&p->sections);
	sc_arena_fini(&p->arena);
}
