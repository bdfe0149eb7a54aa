/* One analysis: the main loop, and what reports may ask of its result. */
#include "analyzer/analysis.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/model/executed_past.h"
#include "analyzer/model/memory_word.h"
#include "analyzer/model/model.h"
#include "analyzer/order/opaque_call.h"
#include "analyzer/model/routine_op.h"
#include "analyzer/rules/family.h"
#include "analyzer/model/second_pass.h"
#include "base/heap.h"
#include "base/search.h"

/* Properties of devices, and settings, that change what an access means. */
static void note_machine(struct sc_machine *m, const struct sc_op *op)
{
	switch (op->kind) {
	case SC_OP_CONTEXT_CREATE:
	case SC_OP_POOL: m->has_others |= op->device != 0; break;
	case SC_OP_DEVICE:
		m->is_exclusive |= !(op->value & SC_DEVICE_CONCURRENT_MANAGED);
		m->reads_pageable |= (op->value & SC_DEVICE_PAGEABLE_ACCESS) != 0;
		break;
	case SC_OP_SETTING: m->is_serialized = 1; break;
	default: break;
	}
}

/* What the user asked the recorder for, as far as it changes the program. */
static void note_options(struct sc_machine *m, const struct sc_record *r)
{
	static const char visible[] = "allocators=visible";
	uint32_t bytes = 0;
	const char *text = sc_record_attachment(r, SC_ATTACH_TEXT, &bytes);

	if (r->op.kind == SC_OP_OPTIONS && text)
		m->has_exchanged |= memmem(text, bytes, visible, strlen(visible)) != NULL;
}

static void note_source(struct sc_analysis *a, const struct sc_record *r)
{
	if (r->op.kind == SC_OP_SOURCE || (r->op.kind == SC_OP_LOST && r->op.value) ||
	    r->op.kind == SC_OP_LAUNCHES)
		sc_vector_push(&a->notes, sc_second_pass_copy(a->second_pass, r));
}

/* The memory that the range was declared for is not freed. */
static bool is_there(void *data, const struct sc_suppressed_range *range)
{
	struct sc_analysis *a = data;
	uint64_t unused;
	const struct sc_allocation *m = sc_memory_find(&a->memory, range->start, &unused);

	return m && m->sequence <= range->sequence;
}

/* A signal ended the program inside of a call. */
static void note_end(struct sc_analysis *a, const struct sc_op *end)
{
	struct sc_op inside;

	a->has_ended = 1;
	if (!end->object || !end->link || !sc_reader_op(a->reader, end->link - 1, &inside))
		return;
	sc_failed_calls_note_end(&a->failed_calls, end, &inside);
	sc_second_pass_keep_op(a->second_pass, end->link - 1, &inside);
}

/* Takes what a record says of the program and its run. */
static void note(struct sc_analysis *a, const struct sc_record *r)
{
	note_machine(&a->machine, &r->op);
	note_options(&a->machine, r);
	if (r->op.kind == SC_OP_EXIT)
		note_end(a, &r->op);
	note_source(a, r);
	sc_inside_note(&a->inside, &a->coverage, r);
	a->kernels.is_outside = sc_inside_is_out(&a->inside);
	sc_kernels_note(&a->kernels, &a->memory, r);
	sc_declared_suppressions_note(&a->suppressions, r,
				      &(struct sc_suppressed_memory){is_there, a});
	sc_device_times_note(&a->second_pass->times, r);
	if (sc_failed_calls_note(&a->failed_calls, a->reader, r))
		sc_second_pass_add(a->second_pass, r);
}

/* From here on an op may be missing between two others. */
static inline void note_gap(struct sc_analysis *a, const struct sc_record *r)
{
	if (!a->gap && sc_coverage_shows_gap(&r->op, a->stats))
		a->gap = r->sequence + 1;
}

/* The main loop's body: the order of the op, then what the rules make of it. */
static void analyze_odd(struct sc_analysis *a, const struct sc_record *r)
{
	struct sc_step step;

	note_gap(a, r);
	sc_coverage_count(&a->coverage, r);
	if (a->settings.gives_back &&
	    sc_pending_note(&a->pending, &a->coverage, r, a->stats->running) && !a->gap)
		a->gap = r->sequence + 1;
	note(a, r);
	sc_memory_word_begin(a, &r->op);
	sc_order_step(&a->order, r, &step);
	sc_opaque_call_note(&a->order, a->reader, r, &step);
	sc_families_step(a, r, &step);
	if (a->settings.watch && a->settings.watch->look)
		a->settings.watch->look(a->settings.watch->data, a, r, &step);
	else if (a->settings.watch)
		a->settings.watch->see(a->settings.watch->data, &a->order, &step);
}

/* The same for a routine op. */
static void analyze_routine(struct sc_analysis *a, const struct sc_record *r)
{
	struct sc_step step;

	note_gap(a, r);
	sc_access_prefetch(&a->memory, r);
	sc_coverage_count_routine(&a->coverage, &r->op);
	sc_order_step_routine(&a->order, r, &step);
	if (r->op.kind == SC_OP_KERNEL)
		sc_opaque_call_note_launch(&a->order, r);
	sc_vector_clear(&a->uses); /* an event has none */
	sc_families_step_routine(a, r, &step);
	if (a->settings.watch)
		a->settings.watch->see(a->settings.watch->data, &a->order, &step);
}

/* In strict mode every thread looks unordered if nothing of it was recorded. */
static uint64_t count_unwatched(const struct sc_analysis *a)
{
	const struct sc_recall *gone = &a->order.host.gone;
	uint64_t threads = gone->map.count + gone->forgotten;

	if (!a->settings.strict_hosts || a->coverage.hosts_watched)
		return 0;
	for (const struct sc_host_thread *t = a->order.host.threads; t; t = t->next)
		threads += t->id > 0;
	return threads > 1 ? threads : 0;
}

/* What the parts of the analysis counted. */
static void add_counts(const struct sc_analysis *a, struct sc_coverage *c)
{
	const struct sc_kernel_tallies *kernels = &a->kernels.tallies;

	c->touches += a->memory.notes.forgotten;
	c->possible_touches += a->memory.notes.forgotten_possible;
	c->ended += a->memory.forgotten + a->order.host.forgotten;
	c->undeclared += a->kernels.unread + a->suppressions.dropped;
	c->unwatched += count_unwatched(a);
	c->uncompared_views += a->memory.notes.uncompared_pairs;
	c->uncompared_parts += a->memory.notes.uncompared_parts;
	c->view_kernels[0] = a->memory.notes.uncompared_kernels[0];
	c->view_kernels[1] = a->memory.notes.uncompared_kernels[1];
	c->leftover_structs += a->kernels.leftovers;
	c->stale_rows += a->kernels.stale_rows;
#define SC_LAUNCHES(id, how, known, about) c->id = sc_kernel_tallies_sum(kernels, how);
#include "analyzer/model/coverage.def"
	c->failed_calls += a->failed_calls.count;
	for (const struct sc_context *x = a->order.streams.contexts; x; x = x->next)
		c->faulted += x->faulted > 0;
}

/* Before the code is freed. */
static void note_waits(struct sc_analysis *a)
{
	const unsigned waits = SC_GRID_KNOWN | SC_GRID_WAIT;

	for (size_t i = 0; i < a->kernels.tallies.list.count; i++) {
		struct sc_kernel_tally *k = &a->kernels.tallies.list.items[i];

		k->waits = (sc_code_grid(&a->kernels.code, k->kernel) & waits) == waits;
	}
}

static void finish(struct sc_analysis *a)
{
	sc_pending_finish(&a->pending, &a->coverage, a->reader);
	sc_failed_calls_finish(&a->failed_calls);
	sc_coverage_add_losses(&a->coverage, a->stats);
	add_counts(a, &a->coverage);
	sc_inside_finish(&a->inside, &a->coverage);
	sc_families_finish(a);
	if (!a->is_stopped)
		sc_second_pass_run(a->second_pass, a->reader, &a->callsites, &a->findings);
	sc_findings_sort(&a->findings);
	a->is_clean = !a->findings.list.count;
	sc_causes_find(&a->moments, &a->findings);
	sc_moments_fini(&a->moments, &a->order.pool);
	sc_memory_fini(&a->memory);
	note_waits(a);
	sc_kernel_tallies_finish(&a->kernels.tallies);
	a->kernel_tallies = a->kernels.tallies;
	a->kernels.tallies = (struct sc_kernel_tallies){0};
	a->functions = a->kernels.executed.functions;
	a->kernels.executed.functions = (struct sc_u64_map){0};
	if (a->findings.list.count && !a->settings.is_live)
		a->images = sc_code_take_images(&a->kernels.code);
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

static void begin(struct sc_analysis *a, struct sc_reader *r,
		  const struct sc_analysis_settings *settings)
{
	a->settings = *settings;
	a->reader = r;
	if (settings->is_live)
		sc_reader_limit(r, sc_settings_remembered(settings, 1) * 4);
	a->stats = sc_reader_stats(r);
	a->second_pass = sc_heap_xcalloc(1, sizeof(*a->second_pass));
	sc_order_init(&a->order, settings);
	a->order.code = &a->kernels.code;
	sc_memory_init(&a->memory, &a->order.pool);
	a->memory.notes.reader = r;
	a->memory.notes.keeps_sites = settings->keeps_sites;
	a->memory.remembered = sc_settings_remembered(settings, 1);
	a->kernels.textures.remembered = sc_settings_remembered(settings, 16);
	a->inside.remembered = sc_settings_remembered(settings, 1);
	a->second_pass->times.most =
		settings->is_live ? sc_settings_remembered(settings, 1) * 4 : SC_DEVICE_TIMES;
	if (settings->is_live)
		a->second_pass->times.is_kept = sc_second_pass_has;
	a->second_pass->times.data = a->second_pass;
	sc_kernels_init(&a->kernels, &a->memory, sc_settings_remembered(settings, 256));
	a->kernels.code.most = settings->is_live ? SC_CODE_LIVE_MOST : 0;
	sc_code_share(&a->kernels.code, settings->same ? settings->same->images : NULL);
	a->order.host.remembered = sc_settings_remembered(settings, 16);
	a->order.streams.remembered = sc_settings_remembered(settings, 1024);
	a->suppressions.remembered = sc_settings_remembered(settings, 1);
	a->memory.notes.keeps_ops = settings->gives_back;
	a->kernels.ignores_code = settings->no_footprints;
	read_footprints(a);
	sc_families_begin(a);
}

/* Some records are needed before they come. */
static void read_ahead(struct sc_analysis *a, struct sc_record *r)
{
	if (r->op.kind != SC_OP_LAUNCH_BYTES || r->op.link)
		return;
	r->attachment_bytes = r->access_count = 0; /* they end */
	r->accesses = NULL;
	if (!a->settings.no_footprints && !a->settings.is_live)
		sc_executed_read(&a->kernels.executed, a->reader);
}

struct sc_analysis *sc_analysis_begin(struct sc_reader *r,
				      const struct sc_analysis_settings *settings)
{
	struct sc_analysis *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	begin(a, r, settings);
	sc_reader_rewind(r);
	return a;
}

void sc_analysis_read_on(struct sc_analysis *a)
{
	struct sc_record record;

	while (!a->is_stopped && sc_reader_next(a->reader, &record)) {
		if (!a->settings.no_routine && sc_op_is_routine(&record.op)) {
			analyze_routine(a, &record);
			continue;
		}
		read_ahead(a, &record);
		analyze_odd(a, &record);
	}
}

void sc_analysis_end(struct sc_analysis *a)
{
	finish(a);
}

int sc_analysis_run(struct sc_analysis **out, struct sc_reader *r,
		    const struct sc_analysis_settings *settings)
{
	*out = sc_analysis_begin(r, settings);
	if (!*out)
		return -ENOMEM;
	sc_analysis_read_on(*out);
	sc_analysis_end(*out);
	return 0;
}

void sc_analysis_free(struct sc_analysis *a)
{
	if (!a)
		return;
	sc_vector_fini(&a->uses);
	sc_vector_fini(&a->conflicts);
	sc_vector_fini(&a->notes);
	sc_code_images_free(a->images);
	sc_inside_fini(&a->inside);
	sc_pending_fini(&a->pending);
	sc_failed_calls_fini(&a->failed_calls);
	sc_kernel_tallies_fini(&a->kernel_tallies);
	sc_u64_map_fini(&a->functions);
	sc_callsites_fini(&a->callsites);
	sc_u64_map_fini(&a->pairs);
	sc_vector_fini(&a->members);
	sc_findings_fini(&a->findings);
	sc_declared_suppressions_fini(&a->suppressions);
	sc_second_pass_fini(a->second_pass);
	free(a->second_pass);
	free(a);
}

bool sc_analysis_is_stopped(const struct sc_analysis *a)
{
	return a->is_stopped;
}

const char *sc_analysis_remark(const struct sc_analysis *a, const struct sc_finding *f)
{
	return f->remark ? a->settings.remarks[f->remark - 1].text : NULL;
}

const struct sc_finding *sc_analysis_findings(const struct sc_analysis *a, size_t *count)
{
	*count = a->findings.list.count;
	return a->findings.list.items;
}

const struct sc_finding *sc_analysis_members(const struct sc_analysis *a, size_t *count)
{
	if (!a->members.count)
		return sc_analysis_findings(a, count);
	*count = a->members.count;
	return a->members.items;
}

void sc_analysis_merge(struct sc_analysis *a, const struct sc_finding_key *keys)
{
	size_t count = a->findings.list.count;
	uint32_t *numbers = sc_heap_xcalloc(count + 1, sizeof(*numbers));

	for (size_t i = 0; i < count; i++)
		sc_vector_push(&a->members, a->findings.list.items[i]);
	sc_findings_merge(&a->findings, keys, numbers);
	for (size_t i = 0; i < count; i++)
		a->members.items[i].number = numbers[a->members.items[i].number];
	free(numbers);
}

/* What follows from a finding that was taken out stands for itself. */
static void forget_leaders(struct sc_finding *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t at;

		SC_SEARCH(at, count, items[at].number < items[i].leader);
		if (at == count || items[at].number != items[i].leader)
			items[i].leader = 0;
	}
}

void sc_analysis_take_out(struct sc_analysis *a,
			  bool (*is_wanted)(void *context, size_t index,
					    const struct sc_finding *f),
			  void *context)
{
	struct sc_finding *items = a->findings.list.items;
	size_t kept = 0, count = a->findings.list.count;

	for (size_t i = 0; i < count; i++)
		if (is_wanted(context, i, &items[i]))
			items[kept++] = items[i];
	a->findings.list.count = kept;
	if (kept < count)
		forget_leaders(items, kept);
}

int64_t sc_analysis_answers(const struct sc_analysis *a)
{
	return (int64_t)a->order.talks.answers - (int64_t)a->order.callbacks.passed;
}

const struct sc_coverage *sc_analysis_coverage(const struct sc_analysis *a)
{
	return &a->coverage;
}

const char *sc_analysis_reason_text(unsigned reason)
{
	return sc_footprint_reason_text(reason);
}

const char *sc_analysis_suppression_reason(const struct sc_analysis *a, const struct sc_finding *f)
{
	return f->suppression ? a->suppressions.reasons.items[f->suppression - 1] : NULL;
}

bool sc_analysis_complete(const struct sc_analysis *a)
{
	const struct sc_coverage *c = &a->coverage;
	uint64_t losses = 0;

	for (unsigned i = 0; i < SC_GAPS; i++)
		losses |= sc_gap_rows[i].weight == SC_GAP_LOSS ? c->gaps[i] : 0;
	/* no finding says little where a device did nothing: after an error of its context, or
	 * because already the first calls failed */
	if (a->is_clean && (c->faulted || (c->failed_calls && !c->work)))
		return 0;
	return c->ops && (c->closed || c->running) && !losses;
}

bool sc_analysis_has_exchanged(const struct sc_analysis *a)
{
	return a->machine.has_exchanged;
}

const struct sc_record *sc_analysis_record(const struct sc_analysis *a, uint64_t sequence)
{
	return sc_second_pass_record(a->second_pass, sequence);
}

const char *sc_analysis_function(const struct sc_analysis *a, const struct sc_record *launch)
{
	const uint64_t *name = sc_u64_map_find(&a->functions, launch->sequence);

	if (!name && launch->op.link)
		name = sc_u64_map_find(&a->functions, launch->op.link - 1);
	return name ? sc_reader_string(a->reader, (uint32_t)*name) : "";
}

const struct sc_kernel_tally *sc_analysis_kernels(const struct sc_analysis *a, size_t *count)
{
	*count = a->kernel_tallies.list.count;
	return a->kernel_tallies.list.items;
}

const struct sc_failed_call *sc_analysis_failed_calls(const struct sc_analysis *a, size_t *count)
{
	*count = a->failed_calls.list.count;
	return a->failed_calls.list.items;
}

const struct sc_record *sc_analysis_notes(const struct sc_analysis *a, size_t *count)
{
	*count = a->notes.count;
	return a->notes.items;
}

const struct sc_device_times *sc_analysis_times(const struct sc_analysis *a)
{
	return &a->second_pass->times;
}

const struct sc_stall *sc_analysis_stalls(const struct sc_analysis *a, const struct sc_finding *f)
{
	return f->stall_count ? a->second_pass->stalls.list.items + f->stalls : NULL;
}

const char *sc_analysis_section(const struct sc_analysis *a, uint64_t sequence)
{
	return sc_sections_of(&a->second_pass->sections, sequence);
}
