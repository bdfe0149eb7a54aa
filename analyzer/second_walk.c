/* The second walk: which records findings refer to, and what these records add to the findings. */
#include "analyzer/second_walk.h"

#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/routine_op.h"
#include "analyzer/run/overlap.h"

/* What a visit of the trace needs. */
struct visitor {
	struct sc_second_walk *walk;
	struct sc_reader *reader;
	struct sc_callsites *sites;
};

struct sc_record sc_second_walk_copy(struct sc_second_walk *w, const struct sc_record *r)
{
	struct sc_record copy = *r;

	copy.attachments = sc_arena_xcopy(&w->arena, r->attachments, r->attachment_bytes);
	copy.accesses = NULL;
	copy.access_count = 0;
	return copy;
}

void sc_second_walk_want_cost(struct sc_second_walk *w, uint64_t site, const struct sc_finding *f,
			      const struct sc_op *op)
{
	sc_costs_want(&w->costs, site, op);
	if (f->rule == SC_RULE_302)
		sc_holds_want(&w->holds, site, op);
}

/* Ids of ops in findings are sequence numbers; references that may be absent are one higher. */
static void want(struct sc_second_walk *w, uint64_t sequence_plus)
{
	if (sequence_plus)
		sc_vector_push(&w->wanted, sequence_plus - 1);
}

static void want_all(struct sc_second_walk *w, const struct sc_finding *f)
{
	for (unsigned i = 0; i < f->sides; i++)
		want(w, f->side[i].op + 1);
	for (unsigned i = 0; i < f->sides; i++)
		want(w, f->side[i].launch);
	want(w, f->allocation);
	want(w, f->reach_op);
	want(w, f->reach_record);
	want(w, f->fix_after);
	want(w, f->fix_before);
}

/* True if a finding refers to the record; called for each record in order. */
static bool is_wanted(struct sc_second_walk *w, uint64_t sequence)
{
	const uint64_t *list = w->wanted.items;

	while (w->passed < w->wanted.count && list[w->passed] < sequence)
		w->passed++;
	return w->passed < w->wanted.count && list[w->passed] == sequence;
}

/* Routine operations have no cost that could be known without device times. */
static bool is_costly(const struct sc_second_walk *w, const struct sc_op *op)
{
	return w->times.list.count || !sc_op_is_routine(op);
}

/* True for the records that the walk visits. */
static bool is_visited(void *data, const struct sc_op *op, uint64_t sequence)
{
	const struct visitor *v = data;

	return is_costly(v->walk, op) || is_wanted(v->walk, sequence);
}

/* Keeps the record if a finding refers to it. */
static void visit(void *data, const struct sc_record *r)
{
	const struct visitor *v = data;
	struct sc_second_walk *w = v->walk;
	struct sc_record *copy;

	if (is_costly(w, &r->op)) {
		sc_device_times_visit(&w->times, r);
		sc_costs_visit(&w->costs, &w->times, v->sites, v->reader, r);
		sc_holds_visit(&w->holds, &w->times, v->sites, v->reader, r);
		sc_sections_visit(&w->sections, r);
	}
	if (!is_wanted(w, r->sequence))
		return;
	sc_sections_keep(&w->sections, r);
	copy = SC_ARENA_XNEW(&w->arena, struct sc_record);
	*copy = sc_second_walk_copy(w, r);
	*sc_u64_map_get(&w->records, r->sequence) = (uintptr_t)copy;
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
	struct sc_second_walk *w = v->walk;
	uint64_t site = sc_callsite_of(v->sites, v->reader, r->op.stack, r->sequence);
	const struct sc_cost *cost = sc_costs_of(&w->costs, site, &r->op);
	const struct sc_hold *holds;
	size_t count = f->rule == SC_RULE_302 ? sc_holds_of(&w->holds, site, &r->op, &holds) : 0;

	if (cost) {
		f->blocked_ns = cost->blocked_ns;
		f->idle_ns = cost->idle_ns;
	}
	if (!count)
		return;
	f->holds = (uint32_t)(holds - w->holds.list.items);
	f->hold_count = (uint32_t)count;
	for (; count; count--, holds++)
		f->held_ns += holds->ns;
}

/* Adds to a finding what happened in this run, once all records that the finding needs are
 * there. */
static void add_facts(const struct visitor *v, struct sc_finding *f)
{
	const struct sc_record *first = sc_second_walk_record(v->walk, f->side[0].op);
	const struct sc_record *last = sc_second_walk_record(v->walk, f->side[f->sides > 1].op);

	complete(&f->side[0], first);
	sc_overlap_judge(&v->walk->times, f, first, last);
	if (f->severity == SC_ADVICE && last)
		add_cost(v, f, last);
}

void sc_second_walk_run(struct sc_second_walk *w, struct sc_reader *reader,
			struct sc_callsites *sites, struct sc_findings *findings)
{
	struct visitor visitor = {w, reader, sites};
	const struct sc_visit pass = {is_visited, visit, &visitor};

	sc_device_times_finish(&w->times);
	if (!findings->list.count)
		return;
	for (size_t i = 0; i < findings->list.count; i++)
		want_all(w, &findings->list.items[i]);
	if (w->wanted.count)
		qsort(w->wanted.items, w->wanted.count, sizeof(*w->wanted.items), by_number);
	sc_reader_visit(reader, &pass);
	sc_costs_finish(&w->costs, &w->times);
	sc_holds_finish(&w->holds);
	for (size_t i = 0; i < findings->list.count; i++)
		add_facts(&visitor, &findings->list.items[i]);
}

const struct sc_record *sc_second_walk_record(const struct sc_second_walk *w, uint64_t sequence)
{
	const uint64_t *place = sc_u64_map_find(&w->records, sequence);

	return place ? (const struct sc_record *)(uintptr_t)*place : NULL;
}

void sc_second_walk_fini(struct sc_second_walk *w)
{
	sc_u64_map_fini(&w->records);
	sc_vector_fini(&w->wanted);
	sc_device_times_fini(&w->times);
	sc_costs_fini(&w->costs);
	sc_holds_fini(&w->holds);
	sc_sections_fini(&w->sections);
	sc_arena_fini(&w->arena);
}
