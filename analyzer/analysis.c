/* One analysis: the main loop, and what is kept for the reports. */
#include "analyzer/analysis.h"

#include <errno.h>
#include <stdlib.h>
#include "analyzer/coverage.h"
#include "analyzer/hidden.h"

/* Device properties that change what an access means. */
static void note_device(struct sc_analysis *a, const struct sc_op *op)
{
	if (op->kind == SC_OP_DEVICE && op->value & SC_DEVICE_PAGEABLE_ACCESS)
		a->reads_pageable = 1;
}

/* A record that outlives the reader's step. */
static struct sc_record keep(struct sc_analysis *a, const struct sc_record *r)
{
	struct sc_record copy = *r;

	copy.attachments = sc_arena_xcopy(&a->arena, r->attachments, r->attachment_bytes);
	return copy;
}

static void note_source(struct sc_analysis *a, const struct sc_record *r)
{
	if (r->op.kind == SC_OP_SOURCE || r->op.kind == SC_OP_LOST)
		sc_vector_push(&a->notes, keep(a, r));
}

/* The main loop's body: the order of the op, then what the rules make of it. */
static void analyze(struct sc_analysis *a, const struct sc_record *r)
{
	struct sc_step step;

	sc_coverage_count(a, r);
	note_device(a, &r->op);
	note_source(a, r);
	sc_code_note(&a->code, r);
	sc_order_step(&a->order, r, &step);
	sc_hidden_note(a, r, &step);
#define SC_FAMILY(name) sc_rules_##name##_step(a, r, &step);
#include "analyzer/rules/family.def"
#undef SC_FAMILY
}

/* Ids of ops in findings are sequence numbers; references that may be absent are one higher. */
static void want(struct sc_analysis *a, uint64_t sequence_plus)
{
	if (sequence_plus)
		sc_u64_map_get(&a->kept, sequence_plus - 1);
}

static void want_all(struct sc_analysis *a, const struct sc_finding *f)
{
	for (unsigned i = 0; i < f->sides; i++)
		want(a, f->side[i].op + 1);
	want(a, f->allocation);
	want(a, f->reach_op);
	want(a, f->reach_record);
	want(a, f->fix_after);
	want(a, f->fix_before);
}

/* Second pass: records that findings refer to. */
static void keep_records(struct sc_analysis *a)
{
	struct sc_record r;

	for (size_t i = 0; i < a->findings.list.count; i++)
		want_all(a, &a->findings.list.items[i]);
	if (!a->findings.list.count)
		return;
	sc_reader_rewind(a->reader);
	while (sc_reader_next(a->reader, &r)) {
		uint64_t *place = sc_u64_map_find(&a->kept, r.sequence);
		struct sc_record *copy;

		if (!place)
			continue;
		copy = SC_ARENA_XNEW(&a->arena, struct sc_record);
		*copy = keep(a, &r);
		*place = (uintptr_t)copy;
	}
}

static void finish(struct sc_analysis *a)
{
	sc_coverage_finish(a);
#define SC_FAMILY(name) sc_rules_##name##_finish(a);
#include "analyzer/rules/family.def"
#undef SC_FAMILY
	sc_findings_sort(&a->findings);
	keep_records(a);
	sc_memory_fini(&a->memory);
	sc_code_fini(&a->code);
	sc_order_fini(&a->order);
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
	sc_order_init(&a->order, settings->profile);
	sc_memory_init(&a->memory, &a->order.pool);
	sc_reader_rewind(r);
	while (sc_reader_next(r, &record))
		analyze(a, &record);
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
	sc_u64_map_fini(&a->kept);
	sc_u64_map_fini(&a->hidden);
	sc_callsites_fini(&a->callsites);
	sc_findings_fini(&a->findings);
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

_Bool sc_analysis_complete(const struct sc_analysis *a)
{
	const struct sc_coverage *c = &a->coverage;

	return c->ops && c->closed && !c->lost && !c->damaged && !c->unknown_calls;
}

const struct sc_record *sc_analysis_record(const struct sc_analysis *a, uint64_t sequence)
{
	uint64_t *place = sc_u64_map_find(&a->kept, sequence);

	return place ? (const struct sc_record *)(uintptr_t)*place : NULL;
}

const struct sc_record *sc_analysis_notes(const struct sc_analysis *a, size_t *count)
{
	*count = a->notes.count;
	return a->notes.items;
}
