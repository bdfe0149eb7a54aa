/* The JSON report: for programs; its fields are described in docs/user/reports.md. */
#include "reports/report.h"

#include <stdbool.h>
#include "reports/json_report.h"
#include "reports/json_coverage.h"
#include "reports/many/summary_json.h"
#include "reports/verified.h"
#include "reports/words/words.h"
#include "reports/words/words_coverage.h"
#include "reports/words/words_failed.h"

#define SCHEMA_VERSION 1 /* of docs/user/json-report.schema.json; grows with a change */

struct json {
	struct sc_json w;
	const struct sc_report *report;
	const struct sc_json_scope *scope;
	struct sc_words words;
	struct sc_buf phrase;
};

static void put_phrase(struct json *j, const char *key)
{
	sc_json_phrase(&j->w, key, &j->phrase);
}

/* Calls that failed, if there are any. */
static void put_failed(struct json *j)
{
	size_t count;
	const struct sc_failed_call *f = sc_analysis_failed_calls(j->report->analysis, &count);

	if (!count)
		return;
	sc_json_open(&j->w, "failed_calls", '[');
	for (const struct sc_failed_call *end = f + count; f < end; f++) {
		const struct sc_record *record =
			sc_analysis_record(j->report->analysis, f->sequence);

		sc_json_open(&j->w, NULL, '{');
		sc_words_failed_function(&j->phrase, &j->words, f);
		put_phrase(j, "call");
		sc_words_failed_error(&j->phrase, &j->words, f);
		put_phrase(j, "error");
		if (f->result != SC_RESULT_PENDING)
			sc_json_number(&j->w, "result", (uint64_t)f->result);
		sc_json_number(&j->w, "count", f->count);
		sc_json_number(&j->w, "sequence", f->sequence);
		sc_words_failed_call(&j->phrase, &j->words, f);
		put_phrase(j, "text");
		sc_json_frames(&j->w, j->report, record ? &record->op : NULL, j->scope,
			       SC_JSON_OTHER);
		sc_json_close(&j->w, '}');
	}
	sc_json_close(&j->w, ']');
}

/* Event sources and losses, as the recorder noted them. */
static void put_notes(struct json *j)
{
	size_t count;
	const struct sc_record *notes = sc_analysis_notes(j->report->analysis, &count);

	sc_json_open(&j->w, "notes", '[');
	for (size_t i = 0; i < count; i++) {
		uint32_t bytes = 0;
		const char *text = sc_record_attachment(&notes[i], SC_ATTACH_TEXT, &bytes);

		sc_json_open(&j->w, NULL, '{');
		sc_json_text(&j->w, "kind", sc_op_kind_text(notes[i].op.kind) ?: "unknown");
		sc_json_number(&j->w, "value", notes[i].op.value);
		sc_buf_add_bytes(&j->phrase, text ? text : "", text ? bytes : 0);
		put_phrase(j, "text");
		sc_json_close(&j->w, '}');
	}
	sc_json_close(&j->w, ']');
}

static void put_gap(void *to, const char *text)
{
	sc_json_text(to, NULL, text);
}

/* What stands between the report and the whole truth, a sentence each. */
static void put_gaps(struct json *j)
{
	const struct sc_coverage *c = sc_analysis_coverage(j->report->analysis);
	size_t count;
	const struct sc_failed_call *failed = sc_analysis_failed_calls(j->report->analysis, &count);

	sc_json_open(&j->w, "gaps", '[');
	sc_words_each_gap(c, put_gap, &j->w);
	for (size_t i = 0; i < count; i++) {
		sc_buf_add(&j->phrase, "failed: ");
		sc_words_failed_call(&j->phrase, &j->words, &failed[i]);
		put_phrase(j, NULL);
	}
	if (sc_words_windows(&j->phrase, c))
		put_phrase(j, NULL);
	if (sc_words_cut(&j->phrase, c))
		put_phrase(j, NULL);
	sc_json_close(&j->w, ']');
}

/* The kernels that were launched, and how their bytes are known. */
static void put_kernels(struct json *j)
{
	size_t count;
	const struct sc_kernel_tally *k = sc_analysis_kernels(j->report->analysis, &count);

	sc_json_open(&j->w, "kernels", '[');
	for (; count; count--, k++) {
		uint64_t open = k->launches[SC_KNOWN_OVER] + k->launches[SC_TALLY_OPEN];

		sc_json_open(&j->w, NULL, '{');
		sc_words_kernel(&j->phrase, &j->words, k->kernel);
		put_phrase(j, "name");
		sc_json_number(&j->w, "launches",
			       k->launches[SC_KNOWN_EXACT] + k->launches[SC_KNOWN_PARAMETER] +
				       open);
		sc_words_launches_of(&j->phrase, k);
		put_phrase(j, "bytes_known");
		if (open)
			sc_json_text(&j->w, "reason", sc_analysis_reason_text(k->reason));
		sc_json_close(&j->w, '}');
	}
	sc_json_close(&j->w, ']');
}

static void put_version(struct sc_json *w)
{
	sc_json_text(w, "streamcheck", SC_VERSION);
	sc_json_number(w, "schema_version", SCHEMA_VERSION);
}

static void put_process(struct json *j)
{
	sc_json_open(&j->w, "process", '{');
	sc_json_number(&j->w, "id", j->report->names->process);
	if (j->report->names->rank >= 0)
		sc_json_number(&j->w, "rank", (uint64_t)j->report->names->rank);
	else
		sc_json_null(&j->w, "rank");
	sc_json_text(&j->w, "command", j->report->names->command);
	sc_json_close(&j->w, '}');
}

/* What is known of a plan of repair. */
static void put_repair(struct json *j)
{
	const struct sc_repair_note *n = j->report->repair;

	if (!n)
		return;
	sc_json_open(&j->w, "repair", '{');
	sc_json_number(&j->w, "findings", n->findings);
	if (n->edits) {
		sc_json_number(&j->w, "edits", n->edits);
		sc_json_number(&j->w, "ended", n->ended);
	}
	sc_words_repair(&j->phrase, &j->words);
	if (!j->report->trace)
		sc_buf_add(&j->phrase, " (FILE: of a run with --trace=FILE)");
	put_phrase(j, "text");
	sc_json_close(&j->w, '}');
}

static void put_config(struct json *j)
{
	const struct sc_report *r = j->report;

	if (!r->config)
		return;
	sc_json_text(&j->w, "config", r->config);
	sc_json_open(&j->w, "config_options", '[');
	for (size_t i = 0; i < r->config_option_count; i++)
		sc_json_text(&j->w, NULL, r->config_options[i]);
	sc_json_close(&j->w, ']');
}

void sc_json_report(struct sc_json *w, const char *key, const struct sc_report *r,
		    const struct sc_json_scope *scope)
{
	struct sc_hidden_counts hidden = sc_report_hidden(r);
	struct json j = {.w = *w, .report = r, .scope = scope};

	sc_words_init(&j.words, r, scope->directory);
	sc_json_open(&j.w, key, '{');
	put_version(&j.w);
	sc_json_bool(&j.w, "complete", sc_analysis_complete(r->analysis));
	sc_json_number(&j.w, "suppressed", hidden.suppressed);
	sc_json_number(&j.w, "known", hidden.known);
	if (hidden.filtered)
		sc_json_number(&j.w, "filtered", hidden.filtered);
	put_process(&j);
	put_config(&j);
	sc_json_coverage(&j.w, sc_analysis_coverage(j.report->analysis));
	put_gaps(&j);
	put_kernels(&j);
	put_notes(&j);
	put_failed(&j);
	if (r->verified)
		sc_verified_put(&j.w, r->verified);
	sc_json_findings(&j.w, "findings", r, scope);
	put_repair(&j);
	sc_json_close(&j.w, '}');
	sc_buf_fini(&j.phrase);
	*w = j.w;
}

/* The object of a process; it stands alone, or in the array of processes. */
void sc_report_json(struct sc_joint *joint, const struct sc_report *r,
		    const struct sc_report_style *style)
{
	struct sc_fingerprints prints;
	struct sc_json w = {
		.out = &joint->parts,
		.depth = sc_joint_is_many(joint) ? 2 : 0,
		.has_items = joint->processes > 0,
	};

	(void)style;
	sc_fingerprints_init(&prints, r);
	sc_json_report(&w, NULL, r,
		       &(struct sc_json_scope){.prints = &prints, .findings_most = SIZE_MAX});
	sc_fingerprints_fini(&prints);
}

void sc_report_finish_json(struct sc_buf *out, const struct sc_joint *joint)
{
	struct sc_json w = {.out = out};

	if (!sc_joint_is_many(joint)) {
		sc_joint_copy(out, joint);
		return;
	}
	sc_json_open(&w, NULL, '{');
	put_version(&w);
	sc_json_open(&w, "processes", '[');
	sc_joint_copy(out, joint);
	w.has_items = joint->processes > 0;
	sc_json_close(&w, ']');
	if (joint->all)
		sc_summary_put(&w, joint->all,
			       &(struct sc_summary_scope){NULL, SIZE_MAX, SIZE_MAX});
	sc_json_close(&w, '}');
}
