/* Sinks: each report is written at once, or kept until those of all processes can be joined. */
#include "cmds/check/sink.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/message.h"
#include "cmds/files/folder.h"
#include "cmds/process/terminal.h"
#include "reports/html/html_links.h"
#include "reports/output.h"

static void fail(struct sc_sinks *s, const struct sc_sink *sink, const char *path, int err)
{
	if (sink->is_beside) {
		sc_warn("cannot write the HTML report %s: %s; html=no writes none", path,
			strerror(-err));
		return;
	}
	sc_warn("cannot write the report to %s: %s", path, strerror(-err));
	s->has_failed = 1;
}

static bool is_file(const struct sc_sink *sink)
{
	return sink->pattern && strcmp(sink->pattern, "-") != 0;
}

/* True if every process has a file name of its own. */
static bool varies(const struct sc_sink *sink, int rank)
{
	return is_file(sink) && !sink->is_beside &&
	       (strstr(sink->pattern, "%p") || (rank >= 0 && strstr(sink->pattern, "%r")));
}

static void write_to_fd(struct sc_sinks *s, const struct sc_sink *sink, int fd,
			const struct sc_buf *text)
{
	int err = sc_output_write_fd(fd, text);

	if (err)
		fail(s, sink, fd == STDOUT_FILENO ? "standard output" : "standard error", err);
}

static int descriptor(const struct sc_sink *sink)
{
	if (is_file(sink))
		return -1;
	return sink->pattern ? STDOUT_FILENO : STDERR_FILENO;
}

/* True if this very run of the command has written the file. */
static bool is_written(const struct sc_sinks *s, const char *path)
{
	for (size_t i = 0; i < s->written.count; i++)
		if (!strcmp(s->written.items[i], path))
			return 1;
	return 0;
}

/* Writes it, where another process of the run has written `path` beside that. */
static int write_file(struct sc_sinks *s, char path[PATH_MAX], int process,
		      const struct sc_buf *text)
{
	int err =
		is_written(s, path) ? -EEXIST : sc_output_write_file(path, text, sc_sinks_keep(s));
	char other[PATH_MAX];

	if (err == -EEXIST) {
		err = sc_options_number(path, process, other, sizeof(other));
		if (!err)
			err = sc_output_write_file(other, text, NULL);
		if (!err)
			sc_warn("another process of this run wrote %s; the report of process %d is "
				"in %s",
				path, process, other);
		snprintf(path, PATH_MAX, "%s", other);
	}
	if (!err)
		sc_vector_push(&s->written, sc_heap_xcopy(path, strlen(path)));
	return err;
}

static void write_text(struct sc_sinks *s, const struct sc_sink *sink, char path[PATH_MAX],
		       int process, const struct sc_buf *text)
{
	int err;

	if (!is_file(sink)) {
		write_to_fd(s, sink, descriptor(sink), text);
		return;
	}
	err = sink->is_in_folder ? sc_folder_make() : 0;
	if (!err)
		err = write_file(s, path, process, text);
	s->used_folder |= sink->is_in_folder;
	if (err)
		fail(s, sink, path, err);
	else if (sink->is_beside)
		sc_warn("%s shows these findings with drawings and a time line", path);
}

/* Writes the report of one process to a place of its own. */
static void write_alone(struct sc_sinks *s, struct sc_sink *sink, const struct sc_loaded *l,
			const struct sc_report_style *style)
{
	char path[PATH_MAX] = "";
	struct sc_buf text = {0};
	int err = 0;

	if (is_file(sink))
		err = sc_options_expand_for(sink->pattern, (int)l->names.process, l->names.rank,
					    path, sizeof(path));
	if (err) {
		fail(s, sink, sink->pattern, err);
		return;
	}
	sc_report_print(sink->format, &text, &l->report, style);
	write_text(s, sink, path, (int)l->names.process, &text);
	sc_buf_fini(&text);
}

static void write_one(struct sc_sinks *s, struct sc_sink *sink, const struct sc_loaded *l)
{
	char directory[PATH_MAX];
	struct sc_report_style style;
	size_t findings;

	sc_analysis_findings(l->analysis, &findings);
	sink->has_findings |= findings > 0;
	if (sink->is_beside && s->traces < 2 && !findings)
		return;
	sc_terminal_style(&style, descriptor(sink), (unsigned)s->options->color, directory);
	style.links = s->options->html_links;
	style.refresh_s = s->refresh_s;
	style.is_whole = s->options->text != 0;
	style.requires_work = s->options->require_cuda;
	if (s->traces > 1 && !varies(sink, l->names.rank))
		sc_report_add(sink->format, &sink->joint, &l->report, &style);
	else
		write_alone(s, sink, l, &style);
}

static void add_format_names(struct sc_buf *out)
{
	for (size_t i = 0; i < sc_report_count(); i++)
		sc_buf_printf(out, "%s%s", i ? ", " : "", sc_report_at(i)->name);
}

/* One --report=FORMAT:FILE. */
static void add_extra(struct sc_sinks *s, const char *text)
{
	size_t name = strcspn(text, ":");
	const struct sc_report_ops *format = sc_report_find(text, name);
	struct sc_buf names = {0};

	if (!format || !text[name] || !text[name + 1]) {
		add_format_names(&names);
		sc_die("report=%s: expected FORMAT:FILE, where FORMAT is one of %s", text,
		       names.text);
	}
	s->items[s->count++] = (struct sc_sink){
		.format = format, .pattern = text + name + 1, .joint.expected = s->traces};
}

/* The HTML beside the text: next to its file, or in the folder of reports. */
static void add_beside(struct sc_sinks *s)
{
	const char *text = s->options->output;
	bool is_file = *text && strcmp(text, "-") != 0 && strncmp(text, "/dev/", 5) != 0;

	snprintf(s->beside, sizeof(s->beside), "%s%s", is_file ? text : SC_FOLDER "/report.%p",
		 ".html");
	s->items[s->count++] = (struct sc_sink){
		.format = sc_report_find("html", strlen("html")),
		.pattern = s->beside,
		.joint.expected = s->traces,
		.is_beside = 1,
		.is_in_folder = !is_file,
	};
}

/* True if an HTML report was asked for by name. */
static bool has_html(const struct sc_sinks *s)
{
	for (unsigned i = 0; i < s->count; i++)
		if (!strcmp(s->items[i].format->name, "html"))
			return 1;
	return 0;
}

static void check_links(const struct sc_options *o)
{
	const char *fault = sc_html_links_fault(o->html_links);

	if (fault)
		sc_die("html-links=%s: %s", o->html_links, fault);
}

void sc_sinks_init(struct sc_sinks *s, const struct sc_options *o, unsigned traces)
{
	check_links(o);
	*s = (struct sc_sinks){.options = o, .traces = traces};
	s->items[s->count++] = (struct sc_sink){
		.format = sc_report_at(o->format),
		.pattern = *o->output ? o->output : NULL,
		.joint.expected = traces,
	};
	for (unsigned i = 0; i < o->report.count; i++)
		add_extra(s, o->report.text[i]);
	if (*o->live_html)
		s->items[s->count++] = (struct sc_sink){.format = sc_report_find("html", 4),
							.pattern = o->live_html,
							.joint.expected = traces};
	if (sc_folder_is_wanted(o) && !has_html(s))
		add_beside(s);
}

/* The folder of the file is not there. */
static void check_folder(char *path, const char *pattern, const char *what)
{
	char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return;
	*slash = 0;
	if (access(path, F_OK))
		sc_die("cannot write the %s to %s: there is no folder %s; mkdir -p %s makes it",
		       what, pattern, path, path);
}

/* A folder whose name depends on the process may not be there yet. */
static void check_file(const char *pattern, const char *what)
{
	const char *slash = strrchr(pattern, '/'), *percent = strchr(pattern, '%');
	char path[PATH_MAX];
	int err;

	if (percent && slash && percent < slash)
		return;
	err = sc_options_expand(pattern, (int)getpid(), path, sizeof(path));
	if (!err)
		err = sc_output_check(path);
	if (err == -ENOENT)
		check_folder(path, pattern, what);
	if (err)
		sc_die("cannot write the %s to %s: %s", what, pattern, strerror(-err));
}

void sc_sinks_check(const struct sc_options *o)
{
	struct sc_sinks s;

	sc_sinks_init(&s, o, 1);
	for (unsigned i = 0; i < s.count; i++)
		if (is_file(&s.items[i]) && !s.items[i].is_beside)
			check_file(s.items[i].pattern, "report");
	if (*o->trace)
		check_file(o->trace, "trace");
	if (*o->summary)
		check_file(o->summary, "summary");
}

void sc_sinks_write(struct sc_sinks *s, const struct sc_loaded *l)
{
	for (unsigned i = 0; i < s->count; i++)
		write_one(s, &s->items[i], l);
}

/* True if a process was taken, or a summary was read that the format can show. */
static bool shows_anything(const struct sc_sink *sink, const struct sc_summary *all)
{
	return sink->joint.processes ||
	       (sink->format->shows_summaries && all->processes > all->added);
}

/* Writes the report of all processes, to a file named after this process. */
static void write_joint(struct sc_sinks *s, struct sc_sink *sink)
{
	char path[PATH_MAX] = "", directory[PATH_MAX];
	struct sc_report_style style;
	struct sc_buf text = {0};
	int err = 0;

	if (is_file(sink))
		err = sc_options_expand(sink->pattern, (int)getpid(), path, sizeof(path));
	if (err) {
		fail(s, sink, sink->pattern, err);
		return;
	}
	sc_terminal_style(&style, descriptor(sink), (unsigned)s->options->color, directory);
	sink->joint.directory = style.directory;
	sink->format->finish(&text, &sink->joint);
	write_text(s, sink, path, (int)getpid(), &text);
	sc_buf_fini(&text);
}

void sc_sinks_check_summaries(const struct sc_sinks *s)
{
	for (unsigned i = 0; i < s->count; i++)
		if (!s->items[i].format->shows_summaries && !s->items[i].is_beside)
			sc_die("format %s shows traces, and not summaries; use another, such as "
			       "text or html, or merge the traces",
			       s->items[i].format->name);
}

void sc_sinks_finish(struct sc_sinks *s, const struct sc_summary *all, const char *summary)
{
	for (unsigned i = 0; i < s->count; i++) {
		struct sc_sink *sink = &s->items[i];

		sink->joint.summary = summary;
		sink->joint.all = all;
		sink->has_findings |= all->processes > all->added && all->rows.count;
		if (shows_anything(sink, all) && (!sink->is_beside || sink->has_findings))
			write_joint(s, sink);
		sc_joint_fini(&sink->joint);
	}
	for (size_t i = 0; i < s->written.count; i++)
		free(s->written.items[i]);
	sc_vector_fini(&s->written);
}
