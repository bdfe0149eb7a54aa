/* Findings in JSON; their fields are described in docs/user/reports.md. */
#include "reports/json_report.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "reports/group.h"
#include "reports/sources/library.h"
#include "reports/sources/origin.h"
#include "reports/sources/site.h"
#include "reports/sources/variable.h"
#include "reports/words/short_name.h"
#include "reports/words/words.h"

struct json {
	struct sc_json w;
	const struct sc_report *report;
	const struct sc_json_scope *scope; /* NULL: a finding alone */
	struct sc_words words;
	struct sc_buf phrase;
};

static void put_phrase(struct json *j, const char *key)
{
	sc_json_phrase(&j->w, key, &j->phrase);
}

static void put_rule_id(struct json *j, const char *key, unsigned rule)
{
	sc_buf_printf(&j->phrase, "SC-%u", rule);
	put_phrase(j, key);
}

/* Left out where the whole name is short. */
static void put_short_name(struct json *j, const char *key, const char *name)
{
	sc_short_name_add(&j->phrase, name);
	if (strcmp(sc_buf_text(&j->phrase), name) != 0)
		put_phrase(j, key);
	sc_buf_clear(&j->phrase);
}

/* `is_user`: the frame that reports name as the place of the op. */
static void put_frame(struct json *j, const struct sc_frame *frame, bool is_internal, bool is_user)
{
	sc_json_open(&j->w, NULL, '{');
	sc_json_text(&j->w, "function", frame->function);
	put_short_name(j, "short", frame->function);
	if (*frame->file)
		sc_json_text(&j->w, "file", frame->file);
	else
		sc_json_null(&j->w, "file");
	sc_json_number(&j->w, "line", frame->line);
	sc_json_text(&j->w, "module", frame->module);
	sc_json_address(&j->w, "offset", frame->offset);
	sc_json_bool(&j->w, "inlined", frame->is_inlined);
	sc_json_bool(&j->w, "internal", is_internal);
	if (is_user)
		sc_json_bool(&j->w, "user", 1);
	sc_json_close(&j->w, '}');
}

static void see(const struct json *j, const struct sc_frame *frame, enum sc_json_place place)
{
	if (frame && j->scope && j->scope->see)
		j->scope->see(j->scope->to, frame, place);
}

static void put_stack(struct json *j, const char *key, const struct sc_report_site *site,
		      const struct sc_frame *user)
{
	sc_json_open(&j->w, key, '[');
	for (size_t i = 0; i < site->count; i++) {
		const struct sc_frame *frame = &site->frames[i];

		put_frame(j, frame,
			  frame->is_internal || (i < site->user && site->user < site->count),
			  frame == user);
	}
	sc_json_close(&j->w, ']');
}

/* Puts a stack, and takes note of the frame by which reports name the place. */
static void put_site(struct json *j, const struct sc_report_site *site, enum sc_json_place place)
{
	const struct sc_frame *user = sc_site_frame(site);
	struct sc_json_pool *pool = j->scope && site->count ? j->scope->stacks : NULL;
	struct sc_buf text = {0};
	struct json alone = {.w = {.out = &text, .is_page = j->w.is_page}};

	put_stack(pool ? &alone : j, pool ? NULL : "frames", site, user);
	if (pool)
		sc_json_shared(&j->w, "frames", sc_json_pool_add(pool, &text));
	sc_buf_fini(&text);
	sc_buf_fini(&alone.phrase);
	see(j, user, place);
}

static void put_frames(struct json *j, const struct sc_op *op, enum sc_json_place place)
{
	struct sc_report_site site = {0};

	if (op)
		sc_site_of(&site, j->report, op);
	put_site(j, &site, place);
}

/* From when to when it happened, where that is known: a moment of the host, or what the device
 * measured. */
static void put_when(struct json *j, const struct sc_record *record)
{
	const struct sc_device_times *times = sc_analysis_times(j->report->analysis);
	struct sc_device_span span;
	struct sc_time_span when;

	if (!sc_device_time_when(times, record, &when))
		return;
	sc_json_open(&j->w, "when", '{');
	if (sc_device_time_of(times, record->sequence, &span))
		sc_json_number(&j->w, "called_ns", span.queued_ns);
	sc_json_number(&j->w, "from_ns", when.start_ns);
	sc_json_number(&j->w, "to_ns", when.end_ns);
	sc_json_close(&j->w, '}');
}

/* The kernel of the op, if it launches one. */
static void put_kernel(struct json *j, const struct sc_record *record)
{
	struct sc_buf name = {0};

	if (!record || record->op.kind != SC_OP_KERNEL)
		return;
	sc_words_whole_kernel(&j->phrase, &j->words, record->op.object);
	sc_words_kernel(&name, &j->words, record->op.object);
	if (strcmp(sc_buf_text(&j->phrase), sc_buf_text(&name)) != 0)
		sc_json_text(&j->w, "kernel_short", sc_buf_text(&name));
	put_phrase(j, "kernel");
	sc_buf_fini(&name);
}

/* The stream in which an op runs; 0: it is the host's. */
static uint32_t lane_of(const struct sc_op *op)
{
	return sc_op_kind_class(op->kind) == SC_CLASS_ENQUEUE ? op->stream : 0;
}

static void put_access(struct json *j, const struct sc_side *side)
{
	const struct sc_record *record = sc_analysis_record(j->report->analysis, side->op);
	uint32_t lane = record ? lane_of(&record->op) : side->stream;

	sc_json_open(&j->w, NULL, '{');
	if (record)
		sc_words_op(&j->phrase, &j->words, record);
	put_phrase(j, "op");
	sc_json_text(&j->w, "mode", sc_words_mode(side->mode));
	sc_json_number(&j->w, "sequence", side->op);
	sc_json_number(&j->w, "thread", side->thread);
	sc_words_stream(&j->phrase, &j->words, side->stream);
	put_phrase(j, "stream");
	sc_json_number(&j->w, "stream_id", side->stream);
	sc_json_address(&j->w, "address", side->address);
	sc_json_number(&j->w, "bytes", side->bytes);
	sc_json_bool(&j->w, "exact", side->known == SC_KNOWN_EXACT);
	if (lane != side->stream)
		sc_json_number(&j->w, "op_stream_id", lane);
	put_when(j, record);
	put_kernel(j, record);
	if (sc_words_known(&j->phrase, &j->words, side))
		put_phrase(j, "bytes_known");
	if (sc_analysis_section(j->report->analysis, side->op))
		sc_json_text(&j->w, "range", sc_analysis_section(j->report->analysis, side->op));
	put_frames(j, record ? &record->op : NULL, SC_JSON_ACCESS);
	sc_json_close(&j->w, '}');
}

static void put_causes(struct json *j, const struct sc_finding *f)
{
	sc_json_open(&j->w, "causes", '[');
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (f->causes[i])
			put_rule_id(j, NULL, f->causes[i]);
	sc_json_close(&j->w, ']');
}

/* Left out if it is not known. */
static void put_variable(struct json *j, unsigned kind, uint32_t stack)
{
	const char *name = sc_variable_of(j->report, kind, stack);

	if (name)
		sc_json_text(&j->w, "variable", name);
}

/* Where streams, events and graphs were made. */
static void put_objects(struct json *j, const struct sc_finding *f)
{
	struct sc_origin_object objects[SC_ORIGIN_OBJECTS];
	size_t count = sc_origin_objects(objects, j->report, f);
	struct sc_report_site site;

	sc_json_open(&j->w, "objects", '[');
	for (size_t i = 0; i < count; i++) {
		sc_json_open(&j->w, NULL, '{');
		sc_json_text(&j->w, "object", sc_origin_noun(objects[i].kind));
		sc_json_number(&j->w, "id", objects[i].id);
		put_variable(j, objects[i].kind, objects[i].stack);
		sc_words_add_object(&j->phrase, &j->words, &objects[i]);
		put_phrase(j, "text");
		sc_site_of_stack(&site, j->report, objects[i].stack);
		put_site(j, &site, SC_JSON_ORIGIN);
		sc_json_close(&j->w, '}');
	}
	sc_json_close(&j->w, ']');
}

static void put_allocation(struct json *j, const struct sc_finding *f)
{
	const struct sc_record *record =
		f->allocation ? sc_analysis_record(j->report->analysis, f->allocation - 1) : NULL;

	if (!record) {
		sc_json_null(&j->w, "allocation");
		return;
	}
	sc_json_open(&j->w, "allocation", '{');
	sc_words_allocation(&j->phrase, &j->words, f);
	put_phrase(j, "text");
	sc_json_text(&j->w, "op", sc_op_kind_text(record->op.kind) ?: "unknown");
	sc_json_number(&j->w, "sequence", record->sequence);
	sc_json_address(&j->w, "address", record->op.dst);
	sc_json_number(&j->w, "bytes", record->op.bytes);
	sc_json_text(&j->w, "memory", sc_memory_text(record->op.dst_mem) ?: "unknown");
	put_variable(j, record->op.kind, record->op.stack);
	put_frames(j, &record->op, SC_JSON_ORIGIN);
	sc_json_close(&j->w, '}');
}

static void put_fingerprint(struct json *j, uint64_t fingerprint)
{
	char text[SC_FINGERPRINT_SIZE];

	sc_fingerprint_text(text, fingerprint);
	sc_json_text(&j->w, "fingerprint", text);
}

/* The streams that the line held up, the longest first. */
static void put_holds(struct json *j, const struct sc_finding *f)
{
	const struct sc_stall *stall = sc_analysis_stalls(j->report->analysis, f);

	sc_json_number(&j->w, "held_ns", f->held_ns);
	sc_json_open(&j->w, "held", '[');
	for (uint32_t i = 0; i < f->stall_count; i++) {
		sc_json_open(&j->w, NULL, '{');
		sc_words_stream(&j->phrase, &j->words, stall[i].stream);
		put_phrase(j, "stream");
		sc_json_number(&j->w, "stream_id", stall[i].stream);
		sc_json_number(&j->w, "ns", stall[i].ns);
		sc_json_number(&j->w, "count", stall[i].count);
		sc_json_close(&j->w, '}');
	}
	sc_json_close(&j->w, ']');
}

static void put_places(struct json *j, const char *key, unsigned bits)
{
	sc_json_open(&j->w, key, '[');
	for (unsigned i = 0; i < SC_TRIAL_PLACES; i++)
		if (bits & 1 << i)
			sc_json_text(&j->w, NULL, sc_words_trial_place(i));
	sc_json_close(&j->w, ']');
}

/* What runs in both orders showed; `first`, `second`: bytes with that access first. */
static void put_trial(struct json *j, const struct sc_finding *f)
{
	static const char *const keys[] = {"first", "second"};
	const struct sc_trial *t = sc_words_trial_of(&j->words, f);

	if (!t)
		return;
	sc_json_open(&j->w, "reruns", '{');
	sc_json_text(&j->w, "verdict", sc_words_trial_verdict(t));
	sc_words_trial(&j->phrase, &j->words, f);
	put_phrase(j, "text");
	put_places(j, "compared", t->compared);
	put_places(j, "differs", t->differs);
	put_places(j, "unsteady", t->unsteady);
	if (t->verdict == SC_TRIAL_CONFIRMED && t->shown != SC_TRIAL_EXIT) {
		sc_json_text(&j->w, "shown", sc_words_trial_place(t->shown));
		sc_json_number(&j->w, "offset", t->offset);
		for (unsigned i = 0; i < 2; i++) {
			sc_words_trial_bytes(&j->phrase, t, i);
			put_phrase(j, keys[i]);
		}
	}
	sc_json_close(&j->w, '}');
}

/* What happened in this run, as far as it is known; left out if it is not. */
static void put_run(struct json *j, const struct sc_finding *f)
{
	if (sc_words_bytes(&j->phrase, &j->words, f))
		put_phrase(j, "bytes");
	if (sc_words_fault(&j->phrase, &j->words, f))
		put_phrase(j, "fault");
	if (sc_words_ranks(&j->phrase, &j->words, f))
		put_phrase(j, "ranks");
	if (sc_words_timing(&j->phrase, &j->words, f)) {
		sc_json_open(&j->w, "timing", '{');
		put_phrase(j, "text");
		sc_json_text(&j->w, "verdict", sc_timing_rows[f->timing].id);
		sc_json_number(&j->w, "ns", f->timing_ns);
		sc_json_number(&j->w, "error_ns", sc_analysis_times(j->report->analysis)->error_ns);
		sc_json_close(&j->w, '}');
	}
	if (sc_words_cost(&j->phrase, &j->words, f)) {
		sc_json_open(&j->w, "cost", '{');
		put_phrase(j, "text");
		sc_json_number(&j->w, "blocked_ns", f->blocked_ns);
		sc_json_number(&j->w, "idle_ns", f->idle_ns);
		put_holds(j, f);
		sc_json_close(&j->w, '}');
	}
}

static void put_id(struct json *j, const char *key, const char *id)
{
	sc_buf_add(&j->phrase, id ? id : "");
	put_phrase(j, key);
}

/* The line at which a fix belongs: where both stacks part, else the op's own. */
static void put_fix_line(struct json *j, const char *key, uint64_t op_plus)
{
	const struct sc_frame *frame = sc_words_spot_frame(&j->words, op_plus);

	if (!frame)
		return;
	see(j, frame, SC_JSON_FIX);
	sc_json_open(&j->w, key, '{');
	sc_json_text(&j->w, "file", frame->file);
	sc_json_number(&j->w, "line", frame->line);
	sc_json_close(&j->w, '}');
}

/* What the fix is about, and after and before which lines it belongs. */
static void put_fix(struct json *j, const struct sc_finding *f)
{
	sc_json_open(&j->w, "fix_at", '{');
	sc_json_number(&j->w, "stream_id", f->fix_stream);
	sc_json_number(&j->w, "device", f->fix_device);
	put_fix_line(j, "after", f->fix_after);
	put_fix_line(j, "before", f->fix_before);
	sc_json_close(&j->w, '}');
}

/* Order, doubt and fix, as sentences and as ids. */
static void put_verdict(struct json *j, const struct sc_finding *f)
{
	sc_words_reach(&j->phrase, &j->words, f);
	put_phrase(j, "order");
	put_id(j, "order_id", sc_words_order_id(f));
	sc_words_doubt(&j->phrase, &j->words, f);
	put_phrase(j, "doubt");
	put_id(j, "doubt_id", sc_words_doubt_id(f));
	sc_words_fix(&j->phrase, &j->words, f);
	put_phrase(j, "fix");
	put_id(j, "fix_id", sc_fix_rows[sc_words_fix_of(&j->words, f)].id);
	put_fix(j, f);
	sc_words_explain(&j->phrase, &j->words, f);
	put_phrase(j, "explain");
}

/* What would decide a finding of which a kernel's bytes are not known, and with which others it is
 * one line of the text report. */
static void put_deciding(struct json *j, const struct sc_finding *f, uint32_t group)
{
	if (!sc_words_can_verify(&j->words, f))
		return;
	sc_json_open(&j->w, "decided_by", '[');
	sc_words_verify_command(&j->phrase, &j->words);
	put_phrase(j, NULL);
	if (f->doubt == SC_DOUBT_FOOTPRINT)
		sc_json_text(&j->w, NULL, j->words.dialect->knowing);
	sc_json_close(&j->w, ']');
	if (group)
		sc_json_number(&j->w, "group", group);
}

/* Each is left out where there is none: a library that does it with itself, the suppression that
 * hides it. */
static void put_hiding(struct json *j, const struct sc_finding *f)
{
	if (sc_library_owns(&j->phrase, j->report, f))
		put_phrase(j, "library");
	if (!j->report->print_suppression)
		return;
	j->report->print_suppression(&j->phrase, j->report, f, j->report->options);
	if (j->phrase.bytes)
		put_phrase(j, "suppression");
}

static void put_finding(struct json *j, const char *key, const struct sc_finding *f,
			uint64_t fingerprint, uint32_t group)
{
	const struct sc_rule_row *rule = sc_rule_find(f->rule);
	char identity[2 + 16 + 1];

	sc_words_set_finding(&j->words, f);
	snprintf(identity, sizeof(identity), "%016llx", (unsigned long long)f->identity);
	sc_json_open(&j->w, key, '{');
	sc_json_number(&j->w, "number", f->number);
	if (f->leader)
		sc_json_number(&j->w, "cause", f->leader);
	put_rule_id(j, "rule", f->rule);
	sc_json_text(&j->w, "slug", rule ? rule->slug : "unknown-rule");
	sc_json_text(&j->w, "severity", sc_severity_text(f->severity));
	sc_json_text(&j->w, "confidence", sc_words_confidence(f->confidence));
	sc_json_number(&j->w, "count", f->count);
	sc_json_text(&j->w, "summary", rule ? rule->summary : "");
	sc_json_text(&j->w, "identity", identity);
	put_fingerprint(j, fingerprint);
	put_causes(j, f);
	sc_json_open(&j->w, "accesses", '[');
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		put_access(j, &f->side[i]);
	sc_json_close(&j->w, ']');
	put_allocation(j, f);
	put_objects(j, f);
	put_verdict(j, f);
	put_deciding(j, f, group);
	put_hiding(j, f);
	put_run(j, f);
	put_trial(j, f);
	sc_json_close(&j->w, '}');
}

void sc_json_frames(struct sc_json *w, const struct sc_report *r, const struct sc_op *op,
		    const struct sc_json_scope *scope, enum sc_json_place place)
{
	struct json j = {.w = *w, .report = r, .scope = scope};

	put_frames(&j, op, place);
	sc_buf_fini(&j.phrase);
	*w = j.w;
}

void sc_json_finding(struct sc_json *w, const char *key, const struct sc_report *r,
		     const struct sc_finding *f, uint64_t fingerprint)
{
	struct json j = {.w = *w, .report = r};

	sc_words_init(&j.words, r, NULL);
	put_finding(&j, key, f, fingerprint, 0);
	sc_buf_fini(&j.phrase);
	*w = j.w;
}

void sc_json_findings(struct sc_json *w, const char *key, const struct sc_report *r,
		      const struct sc_json_scope *scope)
{
	struct json j = {.w = *w, .report = r, .scope = scope};
	struct sc_groups groups;
	size_t count;
	const struct sc_finding *findings = sc_analysis_findings(r->analysis, &count);

	sc_words_init(&j.words, r, scope->directory);
	sc_groups_init(&groups, &j.words);
	sc_json_open(&j.w, key, '[');
	for (size_t i = 0; i < count && i < scope->findings_most; i++)
		put_finding(&j, NULL, &findings[i], scope->prints->items[i], groups.of[i]);
	sc_json_close(&j.w, ']');
	sc_groups_fini(&groups);
	sc_buf_fini(&j.phrase);
	*w = j.w;
}
