/* Plan as JSON: what is printed in words, and for each line of an edit how it was reached. */
#include "extensions/repair/plan_json.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "extensions/repair/patcher/own_place.h"
#include "extensions/repair/planner/threads.h"
#include "reports/json_writer.h"
#include "reports/sources/source.h"
#include "reports/sources/variable.h"

/* One edit, and what is borrowed for all of them. */
struct item {
	struct sc_json *json;
	const struct sc_plan_texts *plan;
	struct sc_words *words;
	const struct sc_edit *edit;
	const struct sc_edit_text *text;
};

static void write_line(struct sc_json *j, const struct sc_edit_line *line, const char *key)
{
	if (!sc_edit_line_is_said(line))
		return;
	sc_json_open(j, key, '{');
	if (line->frame) {
		sc_json_text(j, "function", line->frame->function);
		sc_json_text(j, "file", line->frame->file);
		sc_json_number(j, "line", line->frame->line);
	} else if (line->where) {
		sc_json_text(j, "where", line->where);
	}
	if (line->replaces)
		sc_json_bool(j, "removes", 1);
	else
		sc_json_text(j, "code", sc_buf_text(&line->code));
	sc_json_close(j, '}');
}

/* ---- how a line was reached ---- */

/* An address may have several frames, of inlined calls. */
static bool is_same(const struct sc_frame *a, const struct sc_frame *b)
{
	return a->pc == b->pc && a->line == b->line && !strcmp(a->function, b->function) &&
	       !strcmp(a->file, b->file);
}

static void write_frame(struct sc_json *j, const char *key, const struct sc_frame *frame)
{
	sc_json_open(j, key, '{');
	sc_json_text(j, "function", frame->function);
	sc_json_text(j, "file", frame->file);
	sc_json_number(j, "line", frame->line);
	sc_json_close(j, '}');
}

/* The frames from the one that called CUDA to that of the line. */
static void write_frames(struct sc_json *j, const struct sc_report_site *site,
			 const struct sc_frame *frame)
{
	size_t last = site->user;

	while (last < site->count && !is_same(&site->frames[last], frame))
		last++;
	sc_json_open(j, "frames", '[');
	for (size_t i = site->user; i < last && last < site->count; i++)
		if (!site->frames[i].is_internal && site->frames[i].line)
			write_frame(j, NULL, &site->frames[i]);
	write_frame(j, NULL, frame);
	sc_json_close(j, ']');
}

/* Libraries of several devices use streams of their own, which no line of Python can name. */
static bool is_of_library(const struct sc_report_site *site)
{
	for (size_t i = 0; i < site->user; i++)
		if (strstr(site->frames[i].module, "nccl"))
			return 1;
	return 0;
}

/* The program's own lines that lead to where it was made. */
static void write_made(struct sc_json *j, const struct sc_report *r, uint32_t stack)
{
	struct sc_report_site site;

	sc_site_of_stack(&site, r, stack);
	sc_json_open(j, "made", '[');
	for (size_t i = site.user; i < site.count; i++)
		if (!site.frames[i].is_internal && site.frames[i].line)
			write_frame(j, NULL, &site.frames[i]);
	sc_json_close(j, ']');
}

static void write_stream(const struct item *m, uint32_t stream)
{
	const struct sc_report *r = m->words->report;
	const struct sc_named *named = sc_names_stream(r->names, stream);
	const char *name = named ? sc_variable_of(r, SC_OP_STREAM_CREATE, named->stack) : NULL;

	if (!stream)
		return;
	sc_json_open(m->json, "stream", '{');
	sc_json_number(m->json, "number", stream);
	if (name)
		sc_json_text(m->json, "name", name);
	if (named && named->stack)
		write_made(m->json, r, named->stack);
	sc_json_bool(m->json, "default", named && named->flags & SC_FLAG_LEGACY);
	sc_json_close(m->json, '}');
}

static void write_text(struct sc_json *j, const struct sc_report *r, const struct sc_frame *frame)
{
	struct sc_buf text = {0};

	if (r->sources && sc_source_line(&text, r->sources, frame->file, frame->line, 0))
		sc_json_text(j, "text", sc_buf_text(&text));
	sc_buf_fini(&text);
}

static void write_place(const struct item *m, const char *key, const struct sc_frame *frame,
			const struct sc_edit_place *place, uint32_t stream)
{
	const struct sc_report *r = m->words->report;
	struct sc_json *j = m->json;
	struct sc_report_site site;
	struct sc_op op = {0};

	if (!frame)
		return;
	if (!sc_reader_op(r->reader, place->op, &op))
		op.stack = place->stack;
	sc_site_of_stack(&site, r, op.stack);
	sc_json_open(j, key, '{');
	write_text(j, r, frame);
	sc_json_text(j, "module", frame->module);
	sc_json_bool(j, "own", sc_own_has(&m->plan->own, frame));
	if (site.api)
		sc_json_text(j, "call", site.api);
	sc_json_bool(j, "waits", op.kind == SC_OP_STREAM_SYNC);
	sc_json_bool(j, "library", is_of_library(&site));
	write_stream(m, stream);
	write_frames(j, &site, frame);
	sc_json_close(j, '}');
}

/* ---- edits ---- */

static void write_price(const struct item *m)
{
	const struct sc_repair *r = &m->plan->repair;
	uint32_t other = m->edit->other;

	if (other && r->others.items[other - 1].is_priced)
		sc_json_number(m->json, "or_lost_ns", r->others.items[other - 1].lost_ns);
	sc_json_bool(m->json, "missed", m->edit->is_needed);
	sc_json_number(m->json, "streams", m->edit->streams);
	if (m->edit->is_priced)
		sc_json_number(m->json, "lost_ns", m->edit->lost_ns);
}

static void write_lines(const struct item *m)
{
	const struct sc_edit_text *t = m->text;
	uint32_t other = m->edit->other;

	if (t->make.bytes)
		sc_json_text(m->json, "event", sc_buf_text(&t->make));
	if (t->first.code.bytes)
		write_line(m->json, &t->first, "after");
	write_line(m->json, &t->then, sc_edit_text_label(t, m->edit));
	if (other)
		write_line(m->json, &m->plan->others.items[other - 1].then, "or");
}

static void write_kernel(const struct item *m, uint32_t kernel)
{
	struct sc_buf name = {0};

	sc_words_whole_kernel(&name, m->words, kernel);
	sc_json_text(m->json, "kernel", sc_buf_text(&name));
	sc_buf_fini(&name);
}

static void write_edit(const struct item *m, enum sc_threads threads)
{
	static const char *const names[] = {[SC_THREADS_ONE] = "one",
					    [SC_THREADS_ORDERED] = "ordered",
					    [SC_THREADS_UNORDERED] = "unordered",
					    [SC_THREADS_UNKNOWN] = "unknown"};
	const struct sc_edit *e = m->edit;
	bool is_edge = e->kind == SC_EDIT_EDGE;
	struct sc_json *j = m->json;
	struct sc_buf summary = {0};

	sc_json_open(j, NULL, '{');
	sc_json_text(j, "kind", sc_edit_kind_id((enum sc_edit_kind)e->kind));
	sc_edit_text_summary(&summary, m->words, e);
	sc_json_text(j, "summary", sc_buf_text(&summary));
	sc_buf_fini(&summary);
	sc_json_text(j, "language", m->text->dialect->name);
	sc_json_bool(j, "host_waits", sc_edit_kind_is_host((enum sc_edit_kind)e->kind));
	write_lines(m);
	if (e->kernel)
		write_kernel(m, e->kernel);
	write_price(m);
	sc_json_text(j, "threads", names[threads]);
	write_place(m, "first", m->text->first.frame, is_edge ? &e->nodes[0] : &e->first,
		    e->stream);
	write_place(m, "then", m->text->then.frame, is_edge ? &e->nodes[1] : &e->before,
		    e->waiting);
	sc_json_open(j, "ends", '[');
	for (size_t k = 0; k < e->ends.count; k++)
		sc_json_number(j, NULL, e->ends.items[k] + 1);
	sc_json_close(j, ']');
	sc_json_close(j, '}');
}

/* ---- the plan ---- */

static void write_left(struct sc_json *j, struct sc_words *w, const struct sc_repair *r)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(w->report->analysis, &count);
	struct sc_buf why = {0}, fix = {0};
	char rule[16];

	sc_json_open(j, "left", '[');
	for (size_t i = 0; i < count && i < r->unmended.count; i++) {
		if (!r->unmended.items[i] || !sc_repair_is_about(&f[i]))
			continue;
		snprintf(rule, sizeof(rule), "SC-%u", f[i].rule);
		sc_json_open(j, NULL, '{');
		sc_json_number(j, "finding", i + 1);
		sc_json_text(j, "rule", rule);
		sc_json_text(j, "reason", sc_unmended_rows[r->unmended.items[i]].id);
		sc_plan_add_reason(&why, r, i);
		sc_json_phrase(j, "why", &why);
		sc_words_set_finding(w, &f[i]);
		sc_words_fix(&fix, w, &f[i]);
		sc_json_phrase(j, "fix", &fix);
		sc_json_close(j, '}');
	}
	sc_json_close(j, ']');
	sc_buf_fini(&why);
	sc_buf_fini(&fix);
}

/* One more analysis. */
static enum sc_threads *find_threads(const struct sc_plan_texts *plan, const struct sc_report *r)
{
	size_t count = plan->repair.edits.count;
	struct sc_own own = plan->own;
	enum sc_threads *threads = sc_heap_xcalloc(count + 1, sizeof(*threads));

	if (count)
		sc_threads_find(threads, r->reader, plan->repair.edits.items, count,
				sc_own_find_calls, &own);
	return threads;
}

void sc_plan_json_write(struct sc_buf *out, const struct sc_plan_texts *plan,
			struct sc_words *words)
{
	const struct sc_repair *r = &plan->repair;
	enum sc_threads *threads = find_threads(plan, words->report);
	struct sc_json j = {.out = out};

	sc_json_open(&j, NULL, '{');
	sc_json_text(&j, "streamcheck", SC_VERSION);
	sc_json_number(&j, "ended", r->mended);
	sc_json_number(&j, "devices", words->report->names->devices);
	sc_json_open(&j, "edits", '[');
	for (size_t i = 0; i < r->edits.count; i++) {
		struct item m = {&j, plan, words, &r->edits.items[i], &plan->texts.items[i]};

		write_edit(&m, threads[i]);
	}
	sc_json_close(&j, ']');
	write_left(&j, words, r);
	sc_json_number(&j, "untried", r->untried);
	sc_json_close(&j, '}');
	sc_buf_add_char(out, '\n');
	free(threads);
}
