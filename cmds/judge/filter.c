/* Filter: names of both sides of a finding compared with expressions. */
#include "cmds/judge/filter.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/glob.h"
#include "reports/words/words.h"

#define NAME_BYTES  4096 /* of a name that is compared */
#define REPEAT_MOST 1000 /* product of all {n,m} of an expression: glibc expands them */

static const char children[] = "children:";

/* ---- expressions ---- */

/* The greatest number of "{n,m}" at `text`; 1 if these are no repetitions. */
static unsigned long repetitions(const char *text)
{
	char *end;
	unsigned long count;

	if (!isdigit((unsigned char)text[1]) && text[1] != ',')
		return 1;
	count = strtoul(text + 1, &end, 10);
	if (*end == ',' && isdigit((unsigned char)end[1]))
		count = strtoul(end + 1, NULL, 10);
	return count ? count : 1;
}

/* What would make compiling or matching slow; NULL: nothing. */
static const char *find_costly(const char *expression)
{
	unsigned long product = 1;

	for (const char *c = expression; *c; c++) {
		if (*c == '\\' && isdigit((unsigned char)c[1]))
			return "back-references are not supported";
		if (*c == '{') {
			unsigned long count = repetitions(c);

			if (count > REPEAT_MOST || product * count > REPEAT_MOST)
				return "its repetitions multiply to more than 1000";
			product *= count;
		}
		if (*c == '\\' && c[1])
			c++;
	}
	return NULL;
}

static int compile(struct sc_filter_name *name, const char *option, const char *expression,
		   char *message, size_t bytes)
{
	const char *costly = find_costly(expression);
	char reason[128];
	int err;

	if (!*expression)
		return 0;
	if (costly) {
		snprintf(message, bytes, "%s: \"%.200s\": %s", option, expression, costly);
		return -EINVAL;
	}
	err = regcomp(&name->expression, expression, REG_EXTENDED | REG_NOSUB);
	if (!err) {
		name->is_set = 1;
		return 0;
	}
	regerror(err, &name->expression, reason, sizeof(reason));
	snprintf(message, bytes, "%s: \"%.200s\" is no extended regular expression: %s", option,
		 expression, reason);
	return -EINVAL;
}

static int choose_processes(struct sc_filters *filter, const char *value, char *message,
			    size_t bytes)
{
	filter->program = NULL;
	if (!strcmp(value, "all")) {
		filter->processes = SC_PROCESSES_ALL;
	} else if (!strcmp(value, "root")) {
		filter->processes = SC_PROCESSES_ROOT;
	} else if (!strncmp(value, children, strlen(children)) && value[strlen(children)]) {
		filter->processes = SC_PROCESSES_CHILDREN;
		filter->program = value + strlen(children);
	} else {
		snprintf(message, bytes,
			 "processes: \"%.200s\" is none of all, children:NAME, root", value);
		return -EINVAL;
	}
	return 0;
}

int sc_filter_init(struct sc_filters *filter, const struct sc_options *o, char *message,
		   size_t bytes)
{
	int err;

	*filter = (struct sc_filters){0};
	err = compile(&filter->kernel, "kernel-name", o->kernel_name, message, bytes);
	if (!err)
		err = compile(&filter->no_kernel, "exclude-kernel", o->exclude_kernel, message,
			      bytes);
	if (!err)
		err = compile(&filter->stream, "stream-name", o->stream_name, message, bytes);
	if (!err)
		err = choose_processes(filter, o->processes, message, bytes);
	if (err)
		sc_filter_fini(filter);
	return err;
}

static void fini(struct sc_filter_name *name)
{
	if (name->is_set)
		regfree(&name->expression);
	name->is_set = 0;
}

void sc_filter_fini(struct sc_filters *filter)
{
	fini(&filter->kernel);
	fini(&filter->no_kernel);
	fini(&filter->stream);
}

static bool matches(const struct sc_filter_name *name, const char *text, size_t bytes)
{
	char cut[NAME_BYTES + 1];

	if (bytes > NAME_BYTES)
		bytes = NAME_BYTES;
	memcpy(cut, text, bytes);
	cut[bytes] = '\0';
	return !regexec(&name->expression, cut, 0, NULL, 0);
}

/* ---- findings ---- */

/* True if a side is a kernel whose name, as reports show it or in full, matches. */
static bool has_kernel(const struct sc_filter_name *name, const struct sc_report *r,
		       const struct sc_finding *f)
{
	struct sc_words words;
	bool found = false;

	sc_words_init(&words, r, NULL);
	for (unsigned i = 0; i < f->sides && i < 2 && !found; i++) {
		const struct sc_record *record = sc_analysis_record(r->analysis, f->side[i].op);
		struct sc_buf text = {0};

		if (!record || record->op.kind != SC_OP_KERNEL)
			continue;
		sc_words_kernel(&text, &words, record->op.object);
		found = matches(name, sc_buf_text(&text), text.bytes);
		sc_buf_clear(&text);
		sc_words_whole_kernel(&text, &words, record->op.object);
		found |= matches(name, sc_buf_text(&text), text.bytes);
		sc_buf_fini(&text);
	}
	return found;
}

static bool has_stream(const struct sc_filter_name *name, const struct sc_report *r,
		       const struct sc_finding *f)
{
	for (unsigned i = 0; i < f->sides && i < 2; i++) {
		uint32_t stream = f->side[i].stream;
		const char *given = sc_reader_name(r->reader, SC_NAMES_STREAM, stream);
		char number[16];

		snprintf(number, sizeof(number), "%" PRIu32, stream);
		if (stream && (matches(name, number, strlen(number)) ||
			       (given && matches(name, given, strlen(given)))))
			return true;
	}
	return false;
}

/* The last part of the path of the program that a command line begins with. */
static bool is_program(const char *pattern, const char *command)
{
	size_t bytes = strcspn(command, " ");
	char path[NAME_BYTES];
	const char *slash;

	if (bytes >= sizeof(path))
		bytes = sizeof(path) - 1;
	memcpy(path, command, bytes);
	path[bytes] = '\0';
	slash = strrchr(path, '/');
	return sc_glob_matches(pattern, slash ? slash + 1 : path);
}

static bool is_chosen(const struct sc_filters *filter, const struct sc_names *names)
{
	switch (filter->processes) {
	case SC_PROCESSES_ALL: return true;
	case SC_PROCESSES_ROOT: return !names->is_child;
	case SC_PROCESSES_CHILDREN:
		return names->is_child && is_program(filter->program, names->command);
	}
	return true;
}

const char *sc_filter_hides(const struct sc_filters *filter, const struct sc_report *r,
			    const struct sc_finding *f)
{
	if (!is_chosen(filter, r->names))
		return "processes";
	if (filter->kernel.is_set && !has_kernel(&filter->kernel, r, f))
		return "kernel-name";
	if (filter->no_kernel.is_set && has_kernel(&filter->no_kernel, r, f))
		return "exclude-kernel";
	if (filter->stream.is_set && !has_stream(&filter->stream, r, f))
		return "stream-name";
	return NULL;
}
