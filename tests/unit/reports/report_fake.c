/* Stand-ins for analysis and symbols. */
#include "tests/unit/reports/report_fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "analyzer/symbol/frame.h"
#include "base/heap.h"

const char *sc_analysis_reason_text(unsigned reason)
{
	return reason ? "an index or condition depends on loaded data" : "exact";
}

const char *sc_analysis_remark(const struct sc_analysis *a, const struct sc_finding *f)
{
	(void)a;
	return f->remark ? "waits for rank 1" : NULL;
}

const struct sc_finding *sc_analysis_findings(const struct sc_analysis *a, size_t *count)
{
	*count = a->count;
	return a->findings;
}

const struct sc_coverage *sc_analysis_coverage(const struct sc_analysis *a)
{
	return &a->coverage;
}

bool sc_analysis_has_exchanged(const struct sc_analysis *a)
{
	(void)a;
	return false;
}

bool sc_analysis_complete(const struct sc_analysis *a)
{
	return a->is_complete;
}

const struct sc_record *sc_analysis_record(const struct sc_analysis *a, uint64_t sequence)
{
	for (size_t i = 0; i < a->record_count; i++)
		if (a->records[i].sequence == sequence)
			return &a->records[i];
	return NULL;
}

const struct sc_record *sc_analysis_notes(const struct sc_analysis *a, size_t *count)
{
	*count = a->note_count;
	return a->notes;
}

const struct sc_failed_call *sc_analysis_failed_calls(const struct sc_analysis *a, size_t *count)
{
	(void)a;
	*count = 0;
	return NULL;
}

const struct sc_kernel_tally *sc_analysis_kernels(const struct sc_analysis *a, size_t *count)
{
	(void)a;
	*count = 0;
	return NULL;
}

const struct sc_device_times *sc_analysis_times(const struct sc_analysis *a)
{
	return &a->times;
}

const struct sc_stall *sc_analysis_stalls(const struct sc_analysis *a, const struct sc_finding *f)
{
	return f->stall_count ? a->stalls + f->stalls : NULL;
}

const char *sc_analysis_section(const struct sc_analysis *a, uint64_t sequence)
{
	(void)a;
	(void)sequence;
	return NULL;
}

size_t sc_symbols_stack(struct sc_symbols *s, uint32_t stack, const struct sc_frame **frames)
{
	s->alone += stack && !sc_u64_map_find(&s->wanted, stack);
	if (stack >= FAKE_STACKS)
		return 0;
	*frames = s->stacks[stack].frames;
	return s->stacks[stack].count;
}

void sc_symbols_want(struct sc_symbols *s, uint32_t stack)
{
	*sc_u64_map_get(&s->wanted, stack) = 1;
}

void sc_symbols_sources(struct sc_symbols *s, const uint32_t *stacks, size_t count,
			sc_source_fn *source, void *context)
{
	for (size_t i = 0; i < count; i++)
		for (size_t f = 0; f < s->stacks[stacks[i]].count; f++)
			source(context, s->stacks[stacks[i]].frames[f].file);
}

static void keep_record(struct sc_analysis *a, const struct sc_record *record)
{
	struct sc_record *kept;

	a->records = sc_heap_xrealloc(a->records, a->record_count + 1, sizeof(*a->records));
	kept = &a->records[a->record_count++];
	*kept = *record;
	kept->attachments =
		(const uint8_t *)sc_heap_xcopy(record->attachments, record->attachment_bytes);
	if (record->op.kind != SC_OP_SOURCE && record->op.kind != SC_OP_LOST)
		return;
	a->notes = sc_heap_xrealloc(a->notes, a->note_count + 1, sizeof(*a->notes));
	a->notes[a->note_count++] = *kept;
}

void fake_init(struct fake *f, const char *script)
{
	char message[256] = "";
	struct sc_record record;

	memset(f, 0, sizeof(*f));
	if (sc_text_parse(&f->script, script, strlen(script), message, sizeof(message)))
		fail_msg("script: %s", message);
	assert_int_equal(
		sc_reader_open_memory(&f->reader, f->script.trace, f->script.bytes, NULL, 0), 0);
	while (sc_reader_next(f->reader, &record) > 0)
		keep_record(&f->analysis, &record);
	f->analysis.is_complete = 1;
	f->analysis.coverage = (struct sc_coverage){.driver_seen = 1, .closed = 1};
	sc_names_init(&f->names, f->reader, 0);
	f->sources = (struct sc_sources){.is_own = 1};
	f->report = (struct sc_report){
		.sources = &f->sources,
		.analysis = &f->analysis,
		.reader = f->reader,
		.names = &f->names,
		.symbols = &f->symbols,
	};
}

void fake_fini(struct fake *f)
{
	for (size_t i = 0; i < f->analysis.record_count; i++)
		free((void *)f->analysis.records[i].attachments);
	free(f->analysis.records);
	free(f->analysis.notes);
	sc_u64_map_fini(&f->symbols.wanted);
	sc_names_fini(&f->names);
	sc_reader_free(f->reader);
	sc_text_script_fini(&f->script);
}

struct sc_finding *fake_finding(struct fake *f, unsigned rule, enum sc_severity severity)
{
	struct sc_finding *finding = &f->analysis.findings[f->analysis.count++];

	assert_true(f->analysis.count <= FAKE_FINDINGS);
	*finding = (struct sc_finding){
		.rule = (uint16_t)rule,
		.severity = (uint8_t)severity,
		.confidence = SC_PROVEN,
		.sides = 2,
		.number = (uint32_t)f->analysis.count,
		.count = 1,
	};
	return finding;
}

uint64_t fake_op(const struct fake *f, unsigned line)
{
	for (size_t i = 0; i < f->script.op_line_count; i++)
		if (f->script.op_lines[i] == line)
			return i;
	fail_msg("no op in line %u", line);
	return 0;
}

struct sc_side fake_side(const struct fake *f, unsigned line, enum sc_side_mode mode,
			 uint64_t address, uint64_t bytes)
{
	uint64_t op = fake_op(f, line);
	const struct sc_record *record = sc_analysis_record(&f->analysis, op);

	assert_non_null(record);
	return (struct sc_side){
		.op = op,
		.address = address,
		.bytes = bytes,
		.mode = (uint8_t)mode,
		.stream = record->op.stream,
		.thread = record->op.thread,
	};
}

void fake_frame(struct fake *f, uint32_t stack, const char *function, const char *file,
		unsigned line, const char *module)
{
	struct sc_frame *frame;

	assert_true(stack < FAKE_STACKS && f->symbols.stacks[stack].count < FAKE_FRAMES);
	frame = &f->symbols.stacks[stack].frames[f->symbols.stacks[stack].count++];
	*frame = (struct sc_frame){
		.function = function,
		.file = file ? file : "",
		.line = line,
		.module = module ? module : "/opt/story",
		.is_named = 1,
	};
	frame->owner = sc_frame_owner_of(frame);
	frame->is_internal = frame->owner != SC_OWNER_USER;
}

const char *sc_analysis_function(const struct sc_analysis *a, const struct sc_record *launch)
{
	(void)a;
	(void)launch;
	return "cublasGemmEx";
}
