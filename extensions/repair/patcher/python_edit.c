/* Python edits: whole statements at the indentation of the line that they belong to. */
#include "extensions/repair/patcher/python_edit.h"

#include <stdbool.h>
#include <string.h>
#include "reports/words/call_text.h"
#include "extensions/repair/patcher/edit_names.h"
#include "extensions/repair/patcher/python_names.h"
#include "extensions/repair/patcher/python_source.h"

/* The statement of one of an edit's two lines. */
struct spot {
	struct sc_diff_file *file;
	struct sc_python_source lines;
	size_t at; /* from 0 */
};

/* Both; finish them in any case. */
struct spots {
	struct spot first, then;
};

static void spots_fini(struct spots *s)
{
	sc_python_source_fini(&s->first.lines);
	sc_python_source_fini(&s->then.lines);
}

static const char *find_spot(struct spot *s, struct sc_diff *d, const struct sc_edit_line *line)
{
	if (!line->frame || !line->frame->line)
		return "its line is not known";
	if (!sc_dialect_is_python(line->frame->file))
		return "its lines are in two languages";
	s->file = sc_diff_open(d, line->frame->file);
	if (!s->file)
		return "its source may not be read here";
	if (!sc_python_source_read(&s->lines, &s->file->source))
		return "its file does not end as a file of Python does";
	s->at = sc_python_source_at(&s->lines, line->frame->line);
	return s->at-- ? NULL : "its line is no statement";
}

static const char *find_before(struct spot *s, struct sc_diff *d, const struct sc_edit_line *line)
{
	const char *reason = find_spot(s, d, line);

	if (!reason && !sc_python_source_takes_before(&s->lines, s->at))
		return "nothing can be written before its statement alone";
	return reason;
}

static const char *find_after(struct spot *s, struct sc_diff *d, const struct sc_edit_line *line)
{
	const char *reason = find_spot(s, d, line);

	if (!reason && !sc_python_source_takes_after(&s->lines, s->at))
		return "nothing can be written after its statement alone";
	return reason;
}

/* Opening a second file may move the first. */
static const char *find_both(struct spots *s, struct sc_diff *d, const struct sc_edit_text *t)
{
	const char *reason = find_after(&s->first, d, &t->first);

	reason = reason ? reason : find_before(&s->then, d, &t->then);
	if (reason)
		return reason;
	s->first.file = sc_diff_open(d, t->first.frame->file);
	return NULL;
}

static const struct sc_python_statement *line_of(const struct spot *s)
{
	return &s->lines.list.items[s->at];
}

static void put_before(const struct spot *s, const char *code)
{
	sc_diff_insert(s->file, line_of(s)->first, line_of(s)->first, code);
}

static void put_after(const struct spot *s, const char *code)
{
	sc_diff_insert(s->file, line_of(s)->last + 1, line_of(s)->first, code);
}

/* Names of the one line are known at the other in one function, but which stream is the current one
 * depends on the line. */
static bool is_known_there(const struct sc_edit_text *t, const char *name)
{
	return sc_edit_text_is_one_function(t) && !strstr(name, "current_stream(");
}

/* An event of the module, made when the file is imported: before it is recorded, a wait for it
 * waits for nothing. */
static const char *declare(const struct spot *home, unsigned line, const struct sc_edit_text *t)
{
	size_t import = sc_python_names_last_import(&home->lines, line);
	unsigned last;

	if (!import)
		return "its two lines are not in one block, and the event has no place in the file";
	if (!sc_dialect_makes_events_early(t->dialect))
		return "its event is needed before both lines, and can be made only where a "
		       "context is current";
	last = home->lines.list.items[import - 1].last;
	sc_diff_insert(home->file, last + 1, last, sc_buf_text(&t->make));
	return NULL;
}

/* Appends how a file calls the other one, in the same folder, that it imports as a module. One that
 * may be the script itself is none: it would be imported a second time. */
static bool name_module(struct sc_buf *out, const struct spot *user, const struct spot *home)
{
	const char *path = home->file->path, *slash = strrchr(path, '/');
	size_t folder = slash ? (size_t)(slash + 1 - path) : 0;
	struct sc_buf module = {0};
	bool is_found = 0;

	sc_buf_add_bytes(&module, path + folder, strcspn(path + folder, "."));
	for (size_t i = 0; i < home->file->source.lines.count; i++)
		is_found |= strstr(home->file->source.lines.items[i], "__main__") != NULL;
	is_found = !is_found && !strncmp(user->file->path, path, folder) &&
		   !strchr(user->file->path + folder, '/') &&
		   sc_python_names_module(out, &user->lines, module.text);
	sc_buf_fini(&module);
	return is_found;
}

/* The one file makes the event, and the other one, which imports it, names it as its module's. */
static const char *write_apart(struct spots *s, const struct sc_edit_text *t)
{
	struct sc_buf names[2] = {{0}, {0}}, code = {0};
	bool is_first = name_module(&names[1], &s->then, &s->first);
	struct spot *home = is_first ? &s->first : &s->then;
	const char *reason;

	if (!is_first && !name_module(&names[0], &s->first, &s->then))
		reason = "its two lines are in different files, of which none imports the other as "
			 "a module beside it";
	else if (!t->has_one_package)
		reason = "its two lines are in different files, which call its package by "
			 "different names";
	else
		reason = declare(home, line_of(home)->first, t);
	for (unsigned i = 0; i < 2; i++)
		if (names[i].bytes)
			sc_buf_add_char(&names[i], '.');
	for (unsigned i = 0; i < 2; i++)
		sc_buf_add(&names[i], t->event.text);
	if (!reason) {
		sc_edit_names_replace(&code, t->first.code.text, t->event.text, names[0].text);
		put_after(&s->first, code.text);
		sc_buf_clear(&code);
		sc_edit_names_replace(&code, t->then.code.text, t->event.text, names[1].text);
		put_before(&s->then, code.text);
	}
	sc_buf_fini(&names[0]);
	sc_buf_fini(&names[1]);
	sc_buf_fini(&code);
	return reason;
}

/* Where both lines are in one function and the record always comes first the event is made there;
 * else it is one of the module. */
static const char *write_event(struct sc_diff *d, struct spots *s, const struct sc_edit_text *t)
{
	const char *reason = find_both(s, d, t);
	unsigned line;

	if (reason)
		return reason;
	if (s->first.file == s->then.file && sc_edit_text_is_one_function(t) &&
	    sc_python_source_leads(&s->then.lines, s->first.at, s->then.at)) {
		put_after(&s->first, sc_buf_text(&t->make));
	} else {
		reason = sc_edit_text_threads_reason(t);
		if (!reason && s->first.file != s->then.file)
			return write_apart(s, t);
		line = line_of(&s->first)->first < line_of(&s->then)->first
			       ? line_of(&s->first)->first
			       : line_of(&s->then)->first;
		reason = reason ? reason : declare(&s->then, line, t);
		if (reason)
			return reason;
	}
	put_after(&s->first, sc_buf_text(&t->first.code));
	put_before(&s->then, sc_buf_text(&t->then.code));
	return NULL;
}

/* A wait for what is recorded already, or for a stream. */
static const char *write_wait(struct sc_diff *d, struct spots *s, const struct sc_edit_text *t,
			      const char *name)
{
	const char *reason = find_before(&s->then, d, &t->then);

	if (reason)
		return reason;
	if (!is_known_there(t, name) && !strstr(name, "default_stream()"))
		return "what it names may not be known at its line";
	put_before(&s->then, sc_buf_text(&t->then.code));
	return NULL;
}

static const char *write_device(struct sc_diff *d, struct spots *s, const struct sc_edit_text *t)
{
	const char *reason = find_before(&s->then, d, &t->then);

	if (!reason)
		put_before(&s->then, sc_buf_text(&t->then.code));
	return reason;
}

static const char *write_after(struct sc_diff *d, struct spots *s, const struct sc_edit_text *t)
{
	const char *reason = find_after(&s->first, d, &t->first);

	if (!reason)
		put_after(&s->first, sc_buf_text(&t->first.code));
	return reason;
}

static const char *write_record(struct sc_diff *d, struct spots *s, const struct sc_edit_text *t)
{
	if (!is_known_there(t, sc_buf_text(&t->event)))
		return "what it names may not be known at its line";
	return write_after(d, s, t);
}

/* True if no other statement is in its block. */
static bool is_alone(const struct spot *s)
{
	const struct sc_python_statement *at = line_of(s);

	return at->indent && (!s->at || at[-1].indent < at->indent) &&
	       (s->at + 1 == s->lines.list.count || at[1].indent < at->indent);
}

static const char *write_move(struct sc_diff *d, struct spots *s, const struct sc_edit_text *t)
{
	const char *reason = find_both(s, d, t);

	if (reason)
		return reason;
	if (!is_known_there(t, sc_buf_text(&t->event)))
		return "what it names may not be known at its line";
	if (!sc_python_source_takes_after(&s->then.lines, s->then.at))
		return "its line is a part of a larger statement";
	put_after(&s->first, sc_buf_text(&t->first.code));
	sc_diff_remove(s->then.file, line_of(&s->then)->first, line_of(&s->then)->last);
	if (is_alone(&s->then)) /* no block may be empty */
		put_before(&s->then, "pass");
	return NULL;
}

/* The line with another stream as the argument. */
static bool put_argument(const struct spot *s, const char *text, const char *stream)
{
	struct sc_buf code = {0};
	bool is_set = sc_call_text_set_stream(&code, text, stream) ||
		      sc_python_names_set_stream(&code, text, stream);

	if (is_set) {
		sc_diff_remove(s->file, line_of(s)->first, line_of(s)->last);
		put_before(s, sc_buf_text(&code));
	}
	sc_buf_fini(&code);
	return is_set;
}

/* A `with` around the line: what it enqueues in the current stream goes into that one. */
static void put_with(const struct spot *s, const char *text, const char *with)
{
	struct sc_buf code = {0};

	sc_buf_printf(&code, "    %s", text);
	sc_diff_remove(s->file, line_of(s)->first, line_of(s)->last);
	put_before(s, with);
	put_before(s, code.text);
	sc_buf_fini(&code);
}

static const char *write_stream(struct sc_diff *d, struct spots *s, const struct sc_edit_text *t)
{
	const char *reason = find_both(s, d, t), *text, *code = sc_buf_text(&t->then.code);

	if (reason)
		return reason;
	if (!is_known_there(t, sc_buf_text(&t->stream)) || s->first.file != s->then.file ||
	    !sc_python_source_leads(&s->then.lines, s->first.at, s->then.at) ||
	    sc_python_names_is_set(&s->then.lines, sc_buf_text(&t->stream), s->first.at,
				   s->then.at))
		return "its stream may not be known at its line, or be another one there";
	if (line_of(&s->then)->first != line_of(&s->then)->last ||
	    !sc_python_source_takes_after(&s->then.lines, s->then.at))
		return "its line is a part of a larger statement";
	text = s->then.file->source.lines.items[line_of(&s->then)->first - 1];
	text += strspn(text, " \t");
	if (t->then.becomes)
		return put_argument(&s->then, text, t->stream.text)
			       ? NULL
			       : "the source does not show its stream as an argument";
	if (strncmp(code, "with ", 5) != 0)
		return "it is not a line of its own";
	put_with(&s->then, text, code);
	return NULL;
}

static const char *write(struct sc_diff *d, struct spots *s, const struct sc_edit *e,
			 const struct sc_edit_text *t)
{
	switch ((enum sc_edit_kind)e->kind) {
	case SC_EDIT_EVENT:
	case SC_EDIT_HOST_EVENT:
	case SC_EDIT_EDGE: return write_event(d, s, t);
	case SC_EDIT_WAIT:
	case SC_EDIT_HOST_WAIT: return write_wait(d, s, t, sc_buf_text(&t->event));
	case SC_EDIT_SYNC_STREAM: return write_wait(d, s, t, sc_buf_text(&t->stream));
	case SC_EDIT_SYNC_DEVICE: return write_device(d, s, t);
	case SC_EDIT_SYNC_AFTER: return write_after(d, s, t);
	case SC_EDIT_RECORD: return write_record(d, s, t);
	case SC_EDIT_MOVE: return write_move(d, s, t);
	case SC_EDIT_STREAM: return write_stream(d, s, t);
	default: return "it is not a line of its own";
	}
}

const char *sc_python_edit_write(struct sc_diff *d, const struct sc_edit *e,
				 const struct sc_edit_text *t)
{
	struct spots s = {0};
	const char *reason = write(d, &s, e, t);

	spots_fini(&s);
	return reason;
}
