/* As recorded: the options of a trace, beside those that were given. */
#include "cmds/files/as_recorded.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/heap.h"
#include "base/message.h"
#include "base/sim_device.h"
#include "base/window_plan.h"
#include "cmds/files/kept_trace.h"
#include "reports/utf8.h"
#include "trace/reader.h"

/* Options that may be taken from a trace. */
static const char *const names[] = {
	"device",
#define SC_RECORDED(name) name,
#include "base/recorded.def"
#undef SC_RECORDED
};
#define NAMES (sizeof(names) / sizeof(*names))

/* What a trace says of them. */
struct recorded {
	struct sc_options options;
	const char *path;
	bool has_options, has_device;
};

/* An assignment with a name and a value of an option, both no longer than their tables allow. */
struct assignment {
	char text[SC_OPTION_TEXT_BYTES + 64];
};

static int index_of(const char *name)
{
	return sc_options_find(name, strlen(name));
}

static struct assignment assignment_of(const struct sc_options *o, const char *name)
{
	struct assignment a = {0};

	if (sc_options_print_one(o, index_of(name), a.text, sizeof(a.text)))
		a.text[0] = '\0';
	return a;
}

/* The record's text is as hostile as any other of a trace: other options than those above are set
 * in `all` only, and forgotten with it. */
static void take_options(struct recorded *r, const char *text, uint32_t bytes)
{
	struct sc_options *all = sc_heap_xcalloc(1, sizeof(*all));
	char *copy = sc_heap_xcopy(text, bytes), message[512] = "";
	struct sc_window_plan plan;

	sc_options_init(all);
	if (sc_options_parse(all, copy, message, sizeof(message)) ||
	    sc_window_plan_read(&plan, all->window, message, sizeof(message))) {
		struct sc_buf clean = {0};

		sc_utf8_add_clean(&clean, message);
		sc_warn("the options in %s are not taken: %s", r->path, sc_buf_text(&clean));
		sc_buf_fini(&clean);
	} else {
		for (size_t i = 1; i < NAMES; i++)
			sc_options_set(&r->options, assignment_of(all, names[i]).text, NULL, 0);
		r->has_options = 1;
	}
	free(copy);
	free(all);
}

static void take_device(struct recorded *r, const char *text, uint32_t bytes)
{
	bool is_simulated =
		bytes == strlen(SC_SIM_DEVICE_NAME) && !memcmp(text, SC_SIM_DEVICE_NAME, bytes);

	r->options.device = is_simulated ? SC_RUN_SIM : SC_RUN_GPU;
	r->has_device = 1;
}

static void take(struct recorded *r, const struct sc_record *record)
{
	uint32_t bytes = 0;
	const char *text = sc_record_attachment(record, SC_ATTACH_TEXT, &bytes);

	if (record->op.kind == SC_OP_OPTIONS && !r->has_options)
		take_options(r, text ? text : "", text ? bytes : 0);
	else if (record->op.kind == SC_OP_DEVICE && !r->has_device && text)
		take_device(r, text, bytes);
}

/* Nothing is known of a trace that cannot be read; who takes its findings says so. */
static void read_trace(struct recorded *r, const char *path)
{
	struct sc_reader *reader;
	struct sc_record record;

	*r = (struct recorded){.path = path};
	sc_options_init(&r->options);
	if (!sc_kept_is_file(path) && !access(path, R_OK)) {
		sc_warn("the options in %s are not taken: it can be read only once", path);
		return;
	}
	if (sc_kept_open(&reader, path, NULL, 0))
		return;
	while (!(r->has_options && r->has_device) && sc_reader_next(reader, &record) > 0)
		take(r, &record);
	sc_reader_free(reader);
}

static bool is_known(const struct recorded *r, size_t name)
{
	return name ? r->has_options : r->has_device;
}

static void add(struct sc_buf *list, const char *assignment)
{
	sc_buf_add(list, list->bytes ? " --" : "--");
	sc_utf8_add_clean(list, assignment);
}

/* True if the run that was asked for is another than the trace is of. `auto` asks for no device. */
static bool contradicts(const struct sc_options *o, const struct recorded *r, size_t name)
{
	if (!name && o->device == SC_RUN_AUTO)
		return 0;
	return strcmp(assignment_of(o, names[name]).text,
		      assignment_of(&r->options, names[name]).text) != 0;
}

static void warn_of(const char *own, const struct recorded *r, const char *its)
{
	struct sc_buf clean = {0};

	sc_utf8_add_clean(&clean, its);
	sc_warn("--%s, but %s was recorded with %s; its findings may not be met again", own,
		r->path, sc_buf_text(&clean));
	sc_buf_fini(&clean);
}

static void adopt(struct sc_options *o, const struct recorded *r)
{
	struct sc_buf taken = {0};

	for (size_t i = 0; i < NAMES; i++) {
		struct assignment its = assignment_of(&r->options, names[i]),
				  own = assignment_of(o, names[i]);

		if (!is_known(r, i) || !strcmp(its.text, own.text))
			continue;
		if (o->is_given[index_of(names[i])]) {
			if (contradicts(o, r, i))
				warn_of(own.text, r, its.text);
		} else if (i || r->options.device == SC_RUN_SIM) {
			sc_options_set(o, its.text, NULL, 0);
			add(&taken, its.text);
		}
	}
	if (taken.bytes)
		sc_warn("as %s was recorded: %s", r->path, sc_buf_text(&taken));
	sc_buf_fini(&taken);
}

/* The program runs once, so another trace's options can only be said. */
static void compare(const struct recorded *first, const struct recorded *other)
{
	struct sc_buf different = {0};

	for (size_t i = 0; i < NAMES; i++) {
		struct assignment its = assignment_of(&other->options, names[i]);

		if (is_known(first, i) && is_known(other, i) &&
		    strcmp(assignment_of(&first->options, names[i]).text, its.text) != 0)
			add(&different, its.text);
	}
	if (different.bytes)
		sc_warn("%s was recorded with %s, unlike %s; its findings may not be met "
			"again",
			other->path, sc_buf_text(&different), first->path);
	sc_buf_fini(&different);
}

void sc_as_recorded_adopt(struct sc_options *o, char *const *traces, int count)
{
	struct recorded *r = sc_heap_xcalloc(2, sizeof(*r));

	read_trace(&r[0], traces[0]);
	adopt(o, &r[0]);
	for (int i = 1; i < count; i++) {
		read_trace(&r[1], traces[i]);
		compare(&r[0], &r[1]);
	}
	free(r);
}

void sc_as_recorded_add(struct sc_buf *out, const struct sc_options *o)
{
	struct sc_options *usual = sc_heap_xcalloc(1, sizeof(*usual));

	sc_options_init(usual);
	for (size_t i = 0; i < NAMES; i++) {
		struct assignment own = assignment_of(o, names[i]);

		if (strcmp(own.text, assignment_of(usual, names[i]).text) != 0)
			sc_buf_add_bytes(out, own.text, strlen(own.text) + 1);
	}
	free(usual);
}
