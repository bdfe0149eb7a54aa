/* Check: trace to findings to reports. */
#include "cmds/check.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cmds/command.h"
#include "cmds/terminal.h"
#include "reports/output.h"
#include "reports/report.h"

/* Where the reports of one trace go. */
struct target {
	struct sc_verdict *verdict;
	const struct sc_options *options;
	const struct sc_report *report;
};

/* Names every stack that a finding will show, so that all are looked up at once. */
static void want_op(const struct sc_report *r, uint64_t op_plus)
{
	const struct sc_record *record =
		op_plus ? sc_analysis_record(r->analysis, op_plus - 1) : NULL;
	const struct sc_named *stream;

	if (!record)
		return;
	sc_symbols_want(r->symbols, record->op.stack);
	stream = sc_names_stream(r->names, record->op.stream);
	if (stream)
		sc_symbols_want(r->symbols, stream->stack);
}

static void want_stacks(const struct sc_report *r)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(r->analysis, &count);

	for (; count; count--, f++) {
		for (unsigned i = 0; i < f->sides && i < 2; i++)
			want_op(r, f->side[i].op + 1);
		want_op(r, f->allocation);
		want_op(r, f->reach_op);
		want_op(r, f->reach_record);
		want_op(r, f->fix_after);
		want_op(r, f->fix_before);
	}
}

static void fail(struct target *t, const char *path, int err)
{
	sc_warn("cannot write the report to %s: %s", path, strerror(-err));
	t->verdict->has_failed = 1;
}

/* The file name for this process; when reports of several processes would share one name, those
 * behind the first get the process id at its end. */
static int expand(const struct target *t, const char *pattern, char *out, size_t bytes)
{
	int process = (int)t->report->names->process;
	int err = sc_options_expand(pattern, process, out, bytes);
	size_t used = err ? 0 : strlen(out);

	if (err || t->verdict->traces < 2 || strstr(pattern, "%p"))
		return err;
	if (snprintf(out + used, bytes - used, ".%d", process) >= (int)(bytes - used))
		return -ENAMETOOLONG;
	sc_warn("the report of process %d goes to %s; \"%%p\" in a file name is the process id",
		process, out);
	return 0;
}

static void write_to_fd(struct target *t, const struct sc_report_ops *format, int fd)
{
	struct sc_buf text = {0};
	struct sc_report_style style;
	char directory[PATH_MAX];
	int err;

	sc_terminal_style(&style, fd, (unsigned)t->options->color, directory);
	format->print(&text, t->report, &style);
	err = sc_output_write_fd(fd, &text);
	if (err)
		fail(t, fd == STDOUT_FILENO ? "standard output" : "standard error", err);
	sc_buf_fini(&text);
}

static void write_to_file(struct target *t, const struct sc_report_ops *format, const char *pattern)
{
	struct sc_report_style style;
	char path[PATH_MAX], directory[PATH_MAX];
	struct sc_buf text = {0};
	int err;

	if (!strcmp(pattern, "-")) {
		write_to_fd(t, format, STDOUT_FILENO);
		return;
	}
	err = expand(t, pattern, path, sizeof(path));
	sc_terminal_style(&style, -1, (unsigned)t->options->color, directory);
	if (!err) {
		format->print(&text, t->report, &style);
		err = sc_output_write_file(path, &text);
	}
	if (err)
		fail(t, err == -ENAMETOOLONG ? pattern : path, err);
	sc_buf_fini(&text);
}

/* One --report=FORMAT:FILE. */
static void write_extra(struct target *t, const char *text)
{
	size_t name = strcspn(text, ":");
	const struct sc_report_ops *format = sc_report_find(text, name);

	if (format && text[name] && text[name + 1]) {
		write_to_file(t, format, text + name + 1);
		return;
	}
	sc_warn("report=%s: expected FORMAT:FILE with FORMAT text or json", text);
	t->verdict->has_failed = 1;
}

static void write_reports(struct target *t)
{
	const struct sc_options *o = t->options;
	const struct sc_report_ops *format = sc_report_at(o->format);

	if (*o->output)
		write_to_file(t, format, o->output);
	else
		write_to_fd(t, format, STDERR_FILENO);
	for (unsigned i = 0; i < o->report.count; i++)
		write_extra(t, o->report.text[i]);
}

static void take_findings(struct sc_verdict *v, const struct sc_analysis *a)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(a, &count);

	for (; count; count--, f++)
		if (f->severity == SC_ERROR && f->confidence == SC_PROVEN)
			v->has_proven_error = 1;
	if (!sc_analysis_complete(a))
		v->is_incomplete = 1;
}

static size_t finding_count(const struct sc_analysis *a)
{
	size_t count;

	sc_analysis_findings(a, &count);
	return count;
}

static void report(struct sc_verdict *v, struct sc_reader *r, const struct sc_analysis *a,
		   const struct sc_options *o)
{
	struct sc_names names;
	struct sc_report report = {.analysis = a, .reader = r, .names = &names};
	struct target target = {.verdict = v, .options = o, .report = &report};

	sc_names_init(&names, r, !finding_count(a));
	report.symbols = sc_symbols_new(r);
	if (!report.symbols)
		sc_die("out of memory");
	want_stacks(&report);
	write_reports(&target);
	sc_symbols_free(report.symbols);
	sc_names_fini(&names);
}

void sc_check_trace(struct sc_verdict *v, const char *path, const struct sc_options *o)
{
	struct sc_analysis_settings settings = {
		.profile = (enum sc_profile)o->profile,
		.advice = o->advice != 0,
	};
	struct sc_analysis *a;
	struct sc_reader *r;
	char message[512] = "";
	int err = sc_reader_open(&r, path, message, sizeof(message));

	v->traces++;
	if (o->verbose)
		sc_warn("checking trace %s", path);
	if (err) {
		sc_warn("cannot read trace %s: %s", path, *message ? message : strerror(-err));
		v->has_failed = 1;
		return;
	}
	if (sc_analysis_run(&a, r, &settings))
		sc_die("%s: out of memory", path);
	take_findings(v, a);
	report(v, r, a, o);
	sc_analysis_free(a);
	sc_reader_free(r);
}

int sc_check_exit_code(const struct sc_verdict *v, const struct sc_options *o)
{
	if (v->has_failed)
		return SC_EXIT_USAGE;
	if (v->has_proven_error)
		return (int)o->exitcode;
	return v->is_incomplete || !v->traces ? SC_EXIT_INCOMPLETE : SC_EXIT_CLEAN;
}
