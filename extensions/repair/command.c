/* streamcheck repair: the fewest edits of the program that end the findings of a trace. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "extensions/repair/planner/repair.h"
#include "base/heap.h"
#include "cmds/arguments.h"
#include "cmds/command.h"
#include "extensions/repair/patcher/edit_text.h"
#include "cmds/files/as_recorded.h"
#include "cmds/files/kept_trace.h"
#include "cmds/check/loaded.h"
#include "cmds/judge/own_code.h"
#include "extensions/repair/patcher/plan_texts.h"
#include "extensions/repair/patch_run.h"
#include "extensions/repair/plan_json.h"
#include "cmds/standard_output.h"
#include "cmds/process/terminal.h"
#include "reports/text/text_layout.h"

struct printer {
	struct sc_buf *out;
	struct sc_report_style style;
	struct sc_words words;
	const struct sc_plan_texts *plan;
	struct sc_buf phrase;
};

static void print(struct printer *p, const char *label)
{
	sc_layout_fact(p->out, &p->style, label, sc_buf_text(&p->phrase));
	sc_buf_clear(&p->phrase);
}

/* As text. */

static void add_code(struct printer *p, const struct sc_edit_line *line)
{
	if (line->frame)
		sc_site_add_place(&p->phrase, line->frame, p->style.directory);
	else
		sc_buf_add(&p->phrase, line->where ? line->where : "a line that is not known");
	sc_buf_add(&p->phrase, ": ");
	sc_buf_add(&p->phrase, line->replaces ? "take the call away" : sc_buf_text(&line->code));
}

static void add_line(struct printer *p, const struct sc_edit_line *line, const char *label)
{
	if (!sc_edit_line_is_said(line))
		return;
	add_code(p, line);
	print(p, label);
}

static void add_ends(struct printer *p, const struct sc_edit *e)
{
	if (!e->ends.count) {
		sc_buf_add(&p->phrase, "findings together with the others");
		return;
	}
	sc_buf_printf(&p->phrase, "finding%s ", e->ends.count == 1 ? "" : "s");
	for (size_t i = 0; i < e->ends.count; i++)
		sc_buf_printf(&p->phrase, "%s%" PRIu32, i ? ", " : "", e->ends.items[i] + 1);
	if (!e->is_needed)
		sc_buf_add(&p->phrase, " and perhaps others");
}

static void add_price(struct printer *p, const struct sc_edit *e, bool is_host)
{
	if (!e->is_priced)
		return;
	if (!e->lost_ns) {
		sc_buf_add(&p->phrase, is_host ? "; nothing to wait for in this run"
					       : "; nothing overlapped in this run");
		return;
	}
	sc_buf_add(&p->phrase, "; that is ");
	sc_words_time(&p->phrase, e->lost_ns);
	sc_buf_add(&p->phrase, is_host ? " in this run" : " of overlap in this run");
}

static void add_cost(struct printer *p, const struct sc_edit *e)
{
	bool is_host = sc_edit_kind_is_host((enum sc_edit_kind)e->kind);

	if (e->kind == SC_EDIT_STREAM) {
		sc_buf_add(&p->phrase, "none for the host; the operation waits for what the stream "
				       "was given before, and what comes later there for it");
		add_price(p, e, is_host);
		return;
	}
	if (e->kind == SC_EDIT_MOVE_CALL) {
		sc_buf_add(&p->phrase, "what ended there lasts longer");
		return;
	}
	sc_buf_add(&p->phrase, !is_host	    ? "none for the host; the device waits where it has to"
			       : e->waiting ? "the host waits; no event alone would do"
					    : "the host waits: it is the host that comes second");
	add_price(p, e, is_host);
}

#define STREAM_MARK "<stream "

/* Where the streams were made that the source gives no name at the line. */
static void print_streams(struct printer *p, const struct sc_edit_text *t)
{
	const char *texts[] = {sc_buf_text(&t->first.code), sc_buf_text(&t->then.code)};
	uint32_t met = 0;

	for (size_t i = 0; i < 2; i++)
		for (const char *at = texts[i]; (at = strstr(at, STREAM_MARK)); at++) {
			uint32_t stream = (uint32_t)strtoul(at + strlen(STREAM_MARK), NULL, 10);

			if (stream == met)
				continue;
			met = stream;
			sc_words_add_origin(&p->phrase, &p->words, stream);
		}
	if (p->phrase.bytes)
		print(p, "streams");
}

/* What would do as well. */
static void print_other(struct printer *p, size_t i)
{
	add_code(p, &p->plan->others.items[i].then);
	add_price(p, &p->plan->repair.others.items[i], 0);
	print(p, "or");
}

static void print_edit(struct printer *p, size_t i)
{
	const struct sc_edit *e = &p->plan->repair.edits.items[i];
	const struct sc_edit_text *t = &p->plan->texts.items[i];

	sc_buf_printf(&p->phrase, "edit %zu: ", i + 1);
	sc_edit_text_summary(&p->phrase, &p->words, e);
	sc_layout_paint(p->out, &p->style, SC_PAINT_STRONG, sc_buf_text(&p->phrase));
	sc_buf_add_char(p->out, '\n');
	sc_buf_clear(&p->phrase);
	if (t->make.bytes) {
		sc_buf_add(&p->phrase, sc_buf_text(&t->make));
		print(p, "event");
	}
	if (t->first.code.bytes)
		add_line(p, &t->first, "after");
	add_line(p, &t->then, sc_edit_text_label(t, e));
	if (e->other)
		print_other(p, e->other - 1);
	print_streams(p, t);
	add_cost(p, e);
	print(p, "cost");
	add_ends(p, e);
	print(p, "ends");
}

static void print_left(struct printer *p, size_t i, const struct sc_finding *f)
{
	const struct sc_repair *r = &p->plan->repair;

	sc_buf_printf(&p->phrase, "finding %zu, SC-%u: ", i + 1, f->rule);
	sc_plan_add_reason(&p->phrase, r, i);
	sc_buf_add(&p->phrase, "; ");
	sc_words_set_finding(&p->words, f);
	sc_words_fix(&p->phrase, &p->words, f);
	print(p, "left");
}

static void print_text(struct printer *p)
{
	const struct sc_repair *r = &p->plan->repair;
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(p->words.report->analysis, &count);

	sc_buf_add(&p->phrase, "streamcheck: ");
	sc_plan_summary(&p->phrase, p->plan);
	sc_layout_wrap(p->out, &p->style, 0, 2, sc_buf_text(&p->phrase));
	sc_buf_add_char(p->out, '\n');
	sc_buf_clear(&p->phrase);
	for (size_t i = 0; i < r->edits.count; i++)
		print_edit(p, i);
	for (size_t i = 0; i < count && i < r->unmended.count; i++)
		if (sc_repair_is_about(&f[i]) && r->unmended.items[i])
			print_left(p, i, &f[i]);
	if (r->untried) {
		sc_buf_printf(&p->phrase,
			      "of %zu edits it was not tried whether the others do without them: "
			      "the trace is too long for that",
			      r->untried);
		print(p, "note");
	}
}

/* The program runs again as it did when the trace was recorded. */
static void add_run_options(struct sc_buf *out, const struct sc_options *o, char *path)
{
	struct sc_options *run = sc_heap_xcalloc(1, sizeof(*run));

	*run = *o;
	sc_as_recorded_adopt(run, &path, 1);
	sc_as_recorded_add(out, run);
	free(run);
}

/* The patch, which the writer prints; without the writer the plan in words. */
static int print_patch(struct printer *p, const struct sc_options *options, char *path,
		       char *const *program)
{
	struct sc_buf json = {0}, run = {0};
	struct sc_patch_request request = {options, &run, program};
	int code;

	if (program)
		add_run_options(&run, options, path);
	sc_plan_json_write(&json, p->plan, &p->words);
	code = sc_patch_run(&json, &request);
	sc_buf_fini(&json);
	sc_buf_fini(&run);
	if (code < 0)
		sc_die("repair: cannot start the writer of the patch: %s", strerror(-code));
	if (code == SC_PATCH_MISSING)
		print_text(p);
	return !code || code == SC_PATCH_NOT_CONFIRMED ? code : SC_EXIT_USAGE;
}

/* The program after "--", whose index becomes that of the last word; NULL: there is none. Ends the
 * tool where the words or options do not fit. */
static char *const *find_program(const struct sc_options *o, int first, int *count, char **argv)
{
	char *const *program = NULL;

	for (int i = first; i < *count && !program; i++)
		if (!strcmp(argv[i], "--")) {
			*count = i;
			program = argv + i + 1;
		}
	if (program && !*program)
		program = NULL;
	if (*count - first > 1)
		sc_die("repair: usage: streamcheck repair [options] [TRACE] [-- PROGRAM...]");
	if (!*o->build != !program || (program && !o->patch))
		sc_die("repair: option build needs option patch and a program after --, and the "
		       "reverse");
	return program;
}

int sc_cmd_repair(int argc, char **argv)
{
	char directory[PATH_MAX], path[PATH_MAX];
	struct sc_options options;
	struct sc_plan_texts plan;
	struct sc_buf out = {0};
	struct printer p = {.out = &out, .plan = &plan};
	struct sc_loaded l;
	int code = 0;
	int first = sc_arguments_read(&options, sc_command_find("repair"), argc, argv);
	char *const *program = find_program(&options, first, &argc, argv);
	const char *format = sc_report_at(options.format)->name;

	if (options.format != SC_FORMAT_JSON && strcmp(format, "text") != 0)
		sc_die("repair: option format is text or json here, not %s", format);
	if (options.patch && !options.sources)
		sc_die("repair: option patch reads source files, which sources=no forbids");
	sc_kept_choose(path, "repair", argc > first ? argv[first] : NULL);
	if (sc_loaded_open(&l, path, &options, 0))
		return SC_EXIT_USAGE;
	sc_loaded_warn(&l, "repair", path);
	sc_plan_texts_make(&plan, &l.report, &options, SC_PLAN_RECORDS);
	sc_terminal_style(&p.style, STDOUT_FILENO, (unsigned)options.color, directory);
	sc_words_init(&p.words, &l.report, p.style.directory);
	if (options.patch)
		code = print_patch(&p, &options, path, program);
	else if (options.format == SC_FORMAT_JSON)
		sc_plan_json_write(&out, &plan, &p.words);
	else
		print_text(&p);
	sc_buf_fini(&p.phrase);
	sc_plan_texts_fini(&plan);
	sc_loaded_close(&l);
	sc_print_and_free(&out);
	return code;
}
