/* Sinks: each report is written at once, or kept until those of all processes can be joined. */
#include "cmds/sink.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/message.h"
#include "cmds/terminal.h"
#include "reports/output.h"
#include "reports/utf8.h"

/* Formats of which several reports make one; of others each process gets its own file. */
enum joint { JOINT_NONE, JOINT_SECTIONS, JOINT_LINES, JOINT_ARRAY };

static const struct {
	const char *format;
	enum joint joint;
} joints[] = {
	{"text", JOINT_SECTIONS},
	{"gcc", JOINT_LINES},
	{"github", JOINT_LINES},
	{"json", JOINT_ARRAY},
};

static enum joint joint_of(const struct sc_report_ops *format)
{
	for (size_t i = 0; i < sizeof(joints) / sizeof(*joints); i++)
		if (!strcmp(joints[i].format, format->name))
			return joints[i].joint;
	return JOINT_NONE;
}

static void fail(struct sc_sinks *s, const char *path, int err)
{
	sc_warn("cannot write the report to %s: %s", path, strerror(-err));
	s->has_failed = 1;
}

static _Bool is_file(const struct sc_sink *sink)
{
	return sink->pattern && strcmp(sink->pattern, "-") != 0;
}

/* True if every process has a file name of its own. */
static _Bool varies(const struct sc_sink *sink, int rank)
{
	return is_file(sink) &&
	       (strstr(sink->pattern, "%p") || (rank >= 0 && strstr(sink->pattern, "%r")));
}

static void write_to_fd(struct sc_sinks *s, int fd, const struct sc_buf *text)
{
	int err = sc_output_write_fd(fd, text);

	if (err)
		fail(s, fd == STDOUT_FILENO ? "standard output" : "standard error", err);
}

static int descriptor(const struct sc_sink *sink)
{
	if (is_file(sink))
		return -1;
	return sink->pattern ? STDOUT_FILENO : STDERR_FILENO;
}

static void write_text(struct sc_sinks *s, const struct sc_sink *sink, const char *path,
		       const struct sc_buf *text)
{
	int err;

	if (!is_file(sink)) {
		write_to_fd(s, descriptor(sink), text);
		return;
	}
	err = sc_output_write_file(path, text);
	if (err)
		fail(s, path, err);
}

/* The file name for this process; when reports of several processes would share one name, those
 * behind the first get the process id at its end. */
static int expand(const struct sc_sinks *s, const struct sc_sink *sink, const struct sc_loaded *l,
		  char *out, size_t bytes)
{
	int process = (int)l->names.process;
	int err = sc_options_expand_for(sink->pattern, process, l->rank, out, bytes);
	size_t used = err ? 0 : strlen(out);

	if (err || s->written < 1 || varies(sink, l->rank))
		return err;
	if (snprintf(out + used, bytes - used, ".%d", process) >= (int)(bytes - used))
		return -ENAMETOOLONG;
	sc_warn("the report of process %d goes to %s; in a file name \"%%p\" is the process id, "
		"\"%%r\" the rank",
		process, out);
	return 0;
}

static void add_section_head(struct sc_buf *out, const struct sc_loaded *l)
{
	sc_buf_printf(out, "\n==== process %u", (unsigned)l->names.process);
	if (l->rank >= 0)
		sc_buf_printf(out, ", rank %d", l->rank);
	sc_buf_add(out, ": ");
	sc_utf8_add_cut(out, l->names.command, 120);
	sc_buf_add(out, "\n");
}

static void join(struct sc_sink *sink, enum joint joint, const struct sc_loaded *l,
		 const struct sc_buf *text)
{
	if (joint == JOINT_SECTIONS)
		add_section_head(&sink->joined, l);
	if (joint == JOINT_ARRAY && sink->count)
		sc_buf_add(&sink->joined, ",\n");
	sc_buf_add_bytes(&sink->joined, sc_buf_text(text),
			 text->bytes - (joint == JOINT_ARRAY && text->bytes));
	sink->count++;
}

static void write_one(struct sc_sinks *s, struct sc_sink *sink, const struct sc_loaded *l)
{
	enum joint joint = joint_of(sink->format);
	char path[PATH_MAX] = "", directory[PATH_MAX];
	struct sc_report_style style;
	struct sc_buf text = {0};
	int err = 0;

	sc_terminal_style(&style, descriptor(sink), (unsigned)s->options->color, directory);
	if (s->traces > 1 && joint != JOINT_NONE && !varies(sink, l->rank)) {
		sink->format->print(&text, &l->report, &style);
		join(sink, joint, l, &text);
	} else {
		if (is_file(sink))
			err = expand(s, sink, l, path, sizeof(path));
		if (!err)
			sink->format->print(&text, &l->report, &style);
		if (!err)
			write_text(s, sink, path, &text);
		else
			fail(s, sink->pattern, err);
	}
	sc_buf_fini(&text);
}

/* One --report=FORMAT:FILE. */
static void add_extra(struct sc_sinks *s, const char *text)
{
	size_t name = strcspn(text, ":");
	const struct sc_report_ops *format = sc_report_find(text, name);

	if (format && text[name] && text[name + 1]) {
		s->items[s->count++] =
			(struct sc_sink){.format = format, .pattern = text + name + 1};
		return;
	}
	sc_warn("report=%s: expected FORMAT:FILE with a FORMAT that option format knows", text);
	s->has_failed = 1;
}

void sc_sinks_init(struct sc_sinks *s, const struct sc_options *o, unsigned traces)
{
	*s = (struct sc_sinks){.options = o, .traces = traces};
	s->items[s->count++] = (struct sc_sink){
		.format = sc_report_at(o->format),
		.pattern = *o->output ? o->output : NULL,
	};
	for (unsigned i = 0; i < o->report.count; i++)
		add_extra(s, o->report.text[i]);
}

void sc_sinks_write(struct sc_sinks *s, const struct sc_loaded *l)
{
	for (unsigned i = 0; i < s->count; i++)
		write_one(s, &s->items[i], l);
	s->written++;
}

/* Puts the joined reports into what makes them one. */
static void wrap(struct sc_buf *out, const struct sc_sink *sink, const char *summary)
{
	switch (joint_of(sink->format)) {
	case JOINT_SECTIONS: sc_buf_add(out, summary); break;
	case JOINT_ARRAY:
		sc_buf_printf(out, "{\n\"streamcheck\": \"" SC_VERSION "\",\n\"processes\": [\n");
		break;
	case JOINT_LINES:
	case JOINT_NONE: break;
	}
	sc_buf_add(out, sc_buf_text(&sink->joined));
	if (joint_of(sink->format) == JOINT_ARRAY)
		sc_buf_add(out, "\n]\n}\n");
}

void sc_sinks_finish(struct sc_sinks *s, const char *summary)
{
	for (unsigned i = 0; i < s->count; i++) {
		struct sc_sink *sink = &s->items[i];
		char path[PATH_MAX] = "";
		struct sc_buf text = {0};
		int err = 0;

		if (sink->count) {
			if (is_file(sink))
				err = sc_options_expand(sink->pattern, (int)getpid(), path,
							sizeof(path));
			wrap(&text, sink, summary);
			if (err)
				fail(s, sink->pattern, err);
			else
				write_text(s, sink, path, &text);
		}
		sc_buf_fini(&text);
		sc_buf_fini(&sink->joined);
	}
}
