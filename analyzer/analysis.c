/* One analysis: the main loop, and what is kept for the reports. */
#include "analyzer/analysis.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/coverage.h"
#include "analyzer/order/opaque_call.h"
#include "analyzer/rules/flags.h"
#include "analyzer/run/timing.h"

/* Device properties that change what an access means. */
static void note_device(struct sc_analysis *a, const struct sc_op *op)
{
	if ((op->kind == SC_OP_CONTEXT_CREATE || op->kind == SC_OP_POOL) && op->device)
		a->has_devices = 1;
	if (op->kind == SC_OP_DEVICE && !(op->value & SC_DEVICE_CONCURRENT_MANAGED))
		a->is_exclusive = 1;
	if (op->kind == SC_OP_DEVICE && op->value & SC_DEVICE_PAGEABLE_ACCESS)
		a->reads_pageable = 1;
}

/* A record that outlives the reader's step. */
static struct sc_record keep(struct sc_analysis *a, const struct sc_record *r)
{
	struct sc_record copy = *r;

	copy.attachments = sc_arena_xcopy(&a->arena, r->attachments, r->attachment_bytes);
	copy.accesses = NULL;
	copy.access_count = 0;
	return copy;
}

static void note_source(struct sc_analysis *a, const struct sc_record *r)
{
	if (r->op.kind == SC_OP_SOURCE || r->op.kind == SC_OP_LOST)
		sc_vector_push(&a->notes, keep(a, r));
}

/* Work that went well and has nothing odd about it: what most records are, and few rules look at.
 */
static bool is_routine(const struct sc_op *op)
{
	const uint32_t odd =
		SC_FLAG_IN_CALLBACK | SC_FLAG_CAPTURED | SC_FLAG_NODE | SC_FLAG_DEAD_HANDLE;

	switch (op->kind) {
	case SC_OP_EVENT_RECORD:
	case SC_OP_EVENT_WAIT:
	case SC_OP_COPY:
	case SC_OP_SET:
	case SC_OP_KERNEL:
		return !op->result && !op->callback && op->phase == SC_PHASE_ONCE &&
		       !(op->flags & odd);
	default: return 0;
	}
}

/* Takes what a record says of the program and its run. */
static void note(struct sc_analysis *a, const struct sc_record *r)
{
	note_device(a, &r->op);
	note_source(a, r);
	sc_kernels_note(&a->kernels, &a->memory, r);
	sc_quiet_note(&a->quiet, r);
	sc_device_times_note(&a->times, r);
}

/* Whether some family wants to see routine ops, too. */
static bool has_guests(const struct sc_analysis *a)
{
	bool is_wanted = 0;

#define SC_ODD(name)
#define SC_USUAL(name, condition)
#define SC_FAMILY(name, state, unusual) is_wanted |= (state) ? 1 : 0;
#include "analyzer/rules/family.def"
#undef SC_FAMILY
#undef SC_USUAL
#undef SC_ODD
	return is_wanted;
}

static bool is_unusual(const struct sc_record *r, const struct sc_step *step)
{
	bool is_one = 0;

#define SC_ODD(name)
#define SC_USUAL(name, condition)
#define SC_FAMILY(name, state, unusual) is_one |= (unusual) ? 1 : 0;
#include "analyzer/rules/family.def"
#undef SC_FAMILY
#undef SC_USUAL
#undef SC_ODD
	return is_one;
}

/* All families that an op may concern. */
static void ask_all(struct sc_analysis *a, const struct sc_record *r, const struct sc_step *step,
		    bool is_odd)
{
#define SC_ODD(name) \
	if (is_odd)  \
		sc_rules_##name##_step(a, r, step);
#define SC_USUAL(name, condition)  \
	if (is_odd || (condition)) \
		sc_rules_##name##_step(a, r, step);
#define SC_FAMILY(name, state, unusual)     \
	if (is_odd || (state) || (unusual)) \
		sc_rules_##name##_step(a, r, step);
#include "analyzer/rules/family.def"
#undef SC_FAMILY
#undef SC_USUAL
#undef SC_ODD
	a->has_guests = has_guests(a);
}

static void ask_usual(struct sc_analysis *a, const struct sc_record *r, const struct sc_step *step)
{
#define SC_ODD(name)
#define SC_USUAL(name, condition) \
	if (condition)            \
		sc_rules_##name##_step(a, r, step);
#define SC_FAMILY(name, state, unusual)
#include "analyzer/rules/family.def"
#undef SC_FAMILY
#undef SC_USUAL
#undef SC_ODD
}

/* The main loop's body: the order of the op, then what the rules make of it. */
static void analyze_odd(struct sc_analysis *a, const struct sc_record *r)
{
	struct sc_step step;

	sc_coverage_count(a, r);
	note(a, r);
	sc_flags_meet(a, &r->op);
	sc_order_step(&a->order, r, &step);
	sc_opaque_call_note(&a->order, a->reader, r, &step);
	ask_all(a, r, &step, 1);
}

/* Lets the rules check a routine op. */
static void ask(struct sc_analysis *a, const struct sc_record *r, const struct sc_step *step)
{
	if (a->has_guests || is_unusual(r, step))
		ask_all(a, r, step, 0);
	else
		ask_usual(a, r, step);
}

/* The same for routine work, and for routine records of events and waits for them. */
static void analyze_routine(struct sc_analysis *a, const struct sc_record *r)
{
	struct sc_step step;

	sc_coverage_count_routine(a, r);
	sc_order_step_routine(&a->order, r, &step);
	if (r->op.kind == SC_OP_KERNEL)
		sc_opaque_call_note(&a->order, a->reader, r, &step);
	ask(a, r, &step);
}

/* Ids of ops in findings are sequence numbers; references that may be absent are one higher. */
static void want(struct sc_analysis *a, uint64_t sequence_plus)
{
	if (sequence_plus)
		sc_vector_push(&a->wanted, sequence_plus - 1);
}

static void want_all(struct sc_analysis *a, const struct sc_finding *f)
{
	for (unsigned i = 0; i < f->sides; i++)
		want(a, f->side[i].op + 1);
	for (unsigned i = 0; i < f->sides; i++)
		want(a, f->side[i].launch);
	want(a, f->allocation);
	want(a, f->reach_op);
	want(a, f->reach_record);
	want(a, f->fix_after);
	want(a, f->fix_before);
}

/* True if a finding refers to the record; asked of each record in order. */
static bool is_wanted(struct sc_analysis *a, uint64_t sequence)
{
	const uint64_t *list = a->wanted.items;

	while (a->met < a->wanted.count && list[a->met] < sequence)
		a->met++;
	return a->met < a->wanted.count && list[a->met] == sequence;
}

/* Routine operations have no cost that could be known without device times. */
static bool is_costly(const struct sc_analysis *a, const struct sc_op *op)
{
	return a->times.list.count || !is_routine(op);
}

/* True for the records that the second walk reads. */
static bool is_met(void *data, const struct sc_op *op, uint64_t sequence)
{
	struct sc_analysis *a = data;

	return is_costly(a, op) || is_wanted(a, sequence);
}

/* A record of the second walk: kept if a finding refers to it. */
static void meet(void *data, const struct sc_record *r)
{
	struct sc_analysis *a = data;
	struct sc_record *copy;

	if (is_costly(a, &r->op)) {
		sc_device_times_meet(&a->times, r);
		sc_costs_meet(&a->costs, &a->times, &a->callsites, a->reader, r);
		sc_holds_meet(&a->holds, &a->times, &a->callsites, a->reader, r);
		sc_sections_meet(&a->sections, r);
	}
	if (!is_wanted(a, r->sequence))
		return;
	sc_sections_keep(&a->sections, r);
	copy = SC_ARENA_XNEW(&a->arena, struct sc_record);
	*copy = keep(a, r);
	*sc_u64_map_get(&a->kept, r->sequence) = (uintptr_t)copy;
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
static void add_cost(struct sc_analysis *a, struct sc_finding *f, const struct sc_record *r)
{
	uint64_t site = sc_callsite_of(&a->callsites, a->reader, r->op.stack, r->sequence);
	const struct sc_cost *cost = sc_costs_of(&a->costs, site, &r->op);
	const struct sc_hold *holds;
	size_t count = f->rule == SC_RULE_302 ? sc_holds_of(&a->holds, site, &r->op, &holds) : 0;

	if (cost) {
		f->blocked_ns = cost->blocked_ns;
		f->idle_ns = cost->idle_ns;
	}
	if (!count)
		return;
	f->holds = (uint32_t)(holds - a->holds.list.items);
	f->hold_count = (uint32_t)count;
	for (; count; count--, holds++)
		f->held_ns += holds->ns;
}

/* Adds to a finding what happened in this run, once all records that the finding needs are
 * there. */
static void add_facts(struct sc_analysis *a, struct sc_finding *f)
{
	const struct sc_record *first = sc_analysis_record(a, f->side[0].op);
	const struct sc_record *last = sc_analysis_record(a, f->side[f->sides > 1].op);

	complete(&f->side[0], first);
	sc_timing_judge(&a->times, f, first, last);
	if (f->severity == SC_ADVICE && last)
		add_cost(a, f, last);
}

/* Second walk, if there are findings: their records, and what happened in this run. */
static void walk_again(struct sc_analysis *a)
{
	const struct sc_visit visit = {is_met, meet, a};

	for (size_t i = 0; i < a->findings.list.count; i++)
		want_all(a, &a->findings.list.items[i]);
	if (!a->findings.list.count)
		return;
	if (a->wanted.count)
		qsort(a->wanted.items, a->wanted.count, sizeof(*a->wanted.items), by_number);
	sc_reader_visit(a->reader, &visit);
	sc_costs_finish(&a->costs, &a->times);
	sc_holds_finish(&a->holds);
	for (size_t i = 0; i < a->findings.list.count; i++)
		add_facts(a, &a->findings.list.items[i]);
}

static void finish(struct sc_analysis *a)
{
	sc_coverage_finish(a);
#define SC_ODD(name)			sc_rules_##name##_finish(a);
#define SC_USUAL(name, condition)	sc_rules_##name##_finish(a);
#define SC_FAMILY(name, state, unusual) sc_rules_##name##_finish(a);
#include "analyzer/rules/family.def"
#undef SC_FAMILY
#undef SC_USUAL
#undef SC_ODD
	sc_device_times_finish(&a->times);
	walk_again(a);
	sc_findings_sort(&a->findings);
	sc_memory_fini(&a->memory);
	a->kernel_tallies = a->kernels.tallies;
	a->kernels.tallies = (struct sc_kernel_tallies){0};
	sc_kernels_fini(&a->kernels);
	sc_order_fini(&a->order);
}

/* The caller has read them before, and knows that they make sense. */
static void read_footprints(struct sc_analysis *a)
{
	for (unsigned i = 0; i < a->settings.footprint_count; i++) {
		const struct sc_footprints_text *t = &a->settings.footprints[i];
		struct sc_declaration_source source = {t->name, SC_HOW_FILE, t->is_fallback};

		if (sc_declarations_parse(&a->kernels.declarations, &source, t->text, t->bytes,
					  NULL, 0))
			a->kernels.unread++;
	}
}

int sc_analysis_run(struct sc_analysis **out, struct sc_reader *r,
		    const struct sc_analysis_settings *settings)
{
	struct sc_analysis *a = calloc(1, sizeof(*a));
	struct sc_record record;

	if (!a)
		return -ENOMEM;
	a->settings = *settings;
	a->reader = r;
	a->stats = sc_reader_stats(r);
	sc_order_init(&a->order, settings);
	a->order.code = &a->kernels.code;
	sc_memory_init(&a->memory, &a->order.pool);
	a->memory.notes.reader = r;
	a->kernels.ignores_code = settings->no_footprints;
	read_footprints(a);
	sc_reader_rewind(r);
	while (sc_reader_next(r, &record)) {
		if (!settings->no_routine && is_routine(&record.op))
			analyze_routine(a, &record);
		else
			analyze_odd(a, &record);
	}
	finish(a);
	*out = a;
	return 0;
}

void sc_analysis_free(struct sc_analysis *a)
{
	if (!a)
		return;
	sc_vector_fini(&a->uses);
	sc_vector_fini(&a->conflicts);
	sc_vector_fini(&a->notes);
	sc_kernel_tallies_fini(&a->kernel_tallies);
	sc_u64_map_fini(&a->kept);
	sc_vector_fini(&a->wanted);
	sc_callsites_fini(&a->callsites);
	sc_findings_fini(&a->findings);
	sc_device_times_fini(&a->times);
	sc_costs_fini(&a->costs);
	sc_holds_fini(&a->holds);
	sc_sections_fini(&a->sections);
	sc_quiet_fini(&a->quiet);
	sc_arena_fini(&a->arena);
	free(a);
}

const struct sc_finding *sc_analysis_findings(const struct sc_analysis *a, size_t *count)
{
	*count = a->findings.list.count;
	return a->findings.list.items;
}

const struct sc_coverage *sc_analysis_coverage(const struct sc_analysis *a)
{
	return &a->coverage;
}

const char *sc_analysis_reason_text(unsigned reason)
{
	return sc_footprint_reason_text(reason);
}

const char *sc_analysis_quiet_reason(const struct sc_analysis *a, const struct sc_finding *f)
{
	return f->quiet ? a->quiet.reasons.items[f->quiet - 1] : NULL;
}

bool sc_analysis_complete(const struct sc_analysis *a)
{
	const struct sc_coverage *c = &a->coverage;
	uint64_t losses = 0;

	for (unsigned i = 0; i < SC_GAPS; i++)
		losses |= sc_gap_rows[i].weight == SC_GAP_LOSS ? c->gaps[i] : 0;
	return c->ops && c->closed && !losses;
}

const struct sc_record *sc_analysis_record(const struct sc_analysis *a, uint64_t sequence)
{
	uint64_t *place = sc_u64_map_find(&a->kept, sequence);

	return place ? (const struct sc_record *)(uintptr_t)*place : NULL;
}

const struct sc_kernel_tally *sc_analysis_kernels(const struct sc_analysis *a, size_t *count)
{
	*count = a->kernel_tallies.list.count;
	return a->kernel_tallies.list.items;
}

const struct sc_record *sc_analysis_notes(const struct sc_analysis *a, size_t *count)
{
	*count = a->notes.count;
	return a->notes.items;
}

const struct sc_device_times *sc_analysis_times(const struct sc_analysis *a)
{
	return &a->times;
}

const struct sc_hold *sc_analysis_holds(const struct sc_analysis *a, const struct sc_finding *f)
{
	return f->hold_count ? a->holds.list.items + f->holds : NULL;
}

const char *sc_analysis_section(const struct sc_analysis *a, uint64_t sequence)
{
	return sc_sections_of(&a->sections, sequence);
}
