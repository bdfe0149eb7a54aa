/* Variable: a walk outwards through a stack, from the call that makes the object to its variable.
 */
#include "reports/sources/variable.h"

#include <stdbool.h>
#include <string.h>
#include "reports/words/call_text.h"
#include "reports/sources/declared.h"
#include "reports/sources/origin.h"
#include "reports/sources/source_lines.h"
#include "reports/sources/source_scope.h"
#include "reports/utf8.h"

#define HEAD_LINES 12 /* of a function, up to its body */

void sc_variable_names_fini(struct sc_variable_names *v)
{
	sc_u64_map_fini(&v->known);
	sc_arena_fini(&v->arena);
}

/* Where the object is, for the next line further out. */
enum holder {
	NOWHERE,  /* not known */
	VARIABLE, /* the name is that of a variable */
	OBJECT,	  /* in what the function constructs */
	RESULT,	  /* in what it returns */
	ARGUMENT, /* in what its parameter points to */
};

struct walk {
	const struct sc_report *report;
	unsigned kind; /* of the object */
	struct sc_buf name;
	enum holder holder;
	struct sc_declared_function inner; /* where it is, for OBJECT, RESULT and ARGUMENT */
	unsigned parameter;
	bool is_reference;   /* of ARGUMENT: not a pointer */
	struct sc_buf local; /* the function's own variable of RESULT */
	const struct sc_frame *local_frame;
};

/* One line of the walk. */
struct line {
	const struct sc_frame *frame;
	struct sc_source_lines source;
	struct sc_buf statement;
	unsigned begin, end; /* lines of the statement */
	struct sc_declared_function function;
};

/* ---- the line ---- */

static bool open_line(struct line *l, const struct sc_report *r, const struct sc_frame *frame)
{
	*l = (struct line){.frame = frame};
	if (sc_source_is_newer(frame->file, frame->module) ||
	    !sc_source_lines_read(&l->source, r->sources, frame->file) ||
	    frame->line > l->source.lines.count)
		return 0;
	l->begin = sc_source_lines_begin(&l->source, frame->line) ?: frame->line;
	l->end = sc_source_lines_end(&l->source, l->begin);
	l->end = l->end < frame->line ? frame->line : l->end;
	sc_source_lines_add(&l->statement, &l->source, l->begin, l->end);
	sc_declared_function(&l->function, frame->function);
	return 1;
}

static void close_line(struct line *l)
{
	sc_source_lines_fini(&l->source);
	sc_buf_fini(&l->statement);
}

static bool is_python(const struct sc_frame *frame)
{
	size_t bytes = strlen(frame->file);

	return bytes > 3 && !strcmp(frame->file + bytes - 3, ".py");
}

/* ---- whose variable it is ---- */

/* True if the name is declared in a line, inside of a block and not in the head of a function. */
static bool is_declared_in(const char *line, const char *code, size_t length, const char *name)
{
	size_t bytes = strlen(name);

	for (const char *at = code; (at = strstr(at, name)) && at + bytes <= code + length; at++) {
		size_t before = (size_t)(at - code);

		if (before && strchr(" \t*&", at[-1]) && at[bytes] && strchr(";,[={", at[bytes]) &&
		    !memchr(code, '(', before) && (code > line || memchr(code, '{', before)))
			return 1;
	}
	return 0;
}

enum scope { NOT_THERE, OF_EACH, OF_ALL };

/* Whether a file declares it for each object of a class. */
static enum scope scope_in(const struct sc_source_lines *source, const char *name)
{
	size_t length;

	for (unsigned at = 1; at <= source->lines.count; at++) {
		const char *code = sc_source_lines_code(source, at, &length);

		if (strncmp(code, "return", 6) != 0 &&
		    is_declared_in(source->lines.items[at - 1], code, length, name))
			return strncmp(code, "static", 6) != 0 && strncmp(code, "extern", 6) != 0
				       ? OF_EACH
				       : OF_ALL;
	}
	return NOT_THERE;
}

static enum scope scope_in_file(const struct line *l, struct sc_sources *s, const char *path,
				const char *name)
{
	struct sc_source_lines header = {0};
	enum scope found = NOT_THERE;

	if (!sc_source_is_newer(path, l->frame->module) && sc_source_lines_read(&header, s, path))
		found = scope_in(&header, name);
	sc_source_lines_fini(&header);
	return found;
}

/* The same of a header, `"NAME"`, that stands in the file's folder, or with its path below it. */
static enum scope scope_in_header(const struct line *l, struct sc_sources *s, const char *include,
				  const char *name)
{
	const char *folder_end = strrchr(l->frame->file, '/');
	const char *begin = strchr(include, '"'), *end = begin ? strchr(begin + 1, '"') : NULL;
	const char *last = end ? memrchr(begin + 1, '/', (size_t)(end - begin) - 1) : NULL;
	enum scope found = NOT_THERE;
	struct sc_buf path = {0};

	if (!folder_end || !end)
		return NOT_THERE;
	for (const char *from = begin; from && found == NOT_THERE;
	     from = from == begin ? last : NULL) {
		sc_buf_clear(&path);
		sc_buf_add_bytes(&path, l->frame->file, (size_t)(folder_end - l->frame->file) + 1);
		sc_buf_add_bytes(&path, from + 1, (size_t)(end - from) - 1);
		found = scope_in_file(l, s, path.text, name);
	}
	sc_buf_fini(&path);
	return found;
}

/* A member by its name, or declared in a class of the file or of a header beside it. */
static bool is_member(const struct walk *w, const struct line *l)
{
	const char *name = w->name.text;
	enum scope found;
	size_t length;

	if (!strncmp(name, "this->", 6) || !strncmp(name, "m_", 2) || name[strlen(name) - 1] == '_')
		return 1;
	found = scope_in(&l->source, name);
	for (unsigned at = 1; at <= l->source.lines.count && found == NOT_THERE; at++) {
		const char *code = sc_source_lines_code(&l->source, at, &length);

		if (!strncmp(code, "#include", 8))
			found = scope_in_header(l, w->report->sources, code + 8, name);
	}
	return found == OF_EACH;
}

/* True if the function goes on to return its variable. */
static bool is_returned(const struct line *l, const char *name)
{
	unsigned last = sc_source_scope_end(&l->source, l->frame->line);
	size_t bytes;

	for (unsigned at = l->end + 1; last && at < last; at++)
		if (sc_declared_returns(sc_source_lines_code(&l->source, at, &bytes), name))
			return 1;
	return 0;
}

/* The line before which the function has no variables: the last one that has its name with a
 * bracket; 0 for a function without a name, or without such a line. */
static unsigned head_of(const struct line *l)
{
	const char *name = l->function.name;

	for (unsigned at = l->frame->line; at && *name; at--) {
		const char *word = strstr(l->source.lines.items[at - 1], name);

		for (; word; word = strstr(word + 1, name))
			if (word[strlen(name)] == '(')
				return at;
	}
	return 0;
}

static bool is_local(const struct line *l, const char *name)
{
	unsigned declared = sc_source_scope_declaration(&l->source, name, l->frame->line);

	return declared && declared >= head_of(l);
}

/* The name stands at the line: a variable of the function, a member of what it constructs, or any
 * other. */
static enum holder judge(struct walk *w, const struct line *l)
{
	const char *name = sc_buf_text(&w->name);

	if (is_local(l, name)) {
		if (strpbrk(name, ".->[") || !is_returned(l, name))
			return VARIABLE;
		sc_buf_clear(&w->local);
		sc_buf_add(&w->local, name);
		w->local_frame = l->frame;
		w->inner = l->function;
		return RESULT;
	}
	if (!sc_declared_constructs(&l->function))
		return VARIABLE;
	w->inner = l->function;
	return is_member(w, l) ? OBJECT : NOWHERE;
}

/* True if the name is that of a parameter with a sign: a pointer, or a reference. */
static bool is_parameter(struct walk *w, const struct line *l, char sign)
{
	unsigned head = head_of(l);
	struct sc_buf text = {0};
	bool is_found;

	for (unsigned at = head; at && at < head + HEAD_LINES && at <= l->source.lines.count; at++)
		sc_buf_printf(&text, "%s ", l->source.lines.items[at - 1]);
	is_found = sc_call_text_pointer(sc_buf_text(&text), l->function.name, sc_buf_text(&w->name),
					sign, &w->parameter);
	sc_buf_fini(&text);
	return is_found;
}

/* ---- steps ---- */

/* An argument through which the object comes back: an address, or what is passed on. */
static enum holder take_argument(struct walk *w, const struct line *l, const char *argument,
				 bool is_reference)
{
	bool is_address = sc_declared_argument(&w->name, argument, 0);

	if (!is_address && !sc_declared_argument(&w->name, argument, 1))
		return NOWHERE;
	if (w->kind == SC_OP_PIN) /* memory that was there before */
		return is_address ? NOWHERE : VARIABLE;
	w->inner = l->function;
	w->is_reference = (is_address || is_reference) && is_parameter(w, l, '&');
	if (w->is_reference || (!is_address && !is_reference && is_parameter(w, l, '*')))
		return ARGUMENT;
	return is_address != is_reference ? judge(w, l) : NOWHERE;
}

/* The line that calls CUDA. */
static enum holder begin(struct walk *w, const struct line *l)
{
	struct sc_buf argument = {0};
	enum holder found = NOWHERE;

	if (sc_call_text_made(&argument, sc_buf_text(&l->statement), w->kind))
		found = take_argument(w, l, sc_buf_text(&argument), 0);
	sc_buf_fini(&argument);
	return found;
}

static enum holder leave_object(struct walk *w, const struct line *l)
{
	switch (sc_declared_object(&w->name, sc_buf_text(&l->statement), w->inner.class)) {
	case SC_DECLARED_NEW: return VARIABLE;
	case SC_DECLARED_KNOWN: return judge(w, l);
	case SC_DECLARED_NOTHING: break;
	}
	if (!sc_declared_constructs(&l->function)) /* else it is a member, or a base */
		return NOWHERE;
	w->inner = l->function;
	return OBJECT;
}

static enum holder leave_result(struct walk *w, const struct line *l)
{
	const char *statement = sc_buf_text(&l->statement);

	switch (sc_declared_result(&w->name, statement, w->inner.name)) {
	case SC_DECLARED_NEW:
	case SC_DECLARED_KNOWN: return judge(w, l);
	case SC_DECLARED_NOTHING: break;
	}
	if (!sc_declared_passes_on(statement, w->inner.name))
		return NOWHERE;
	w->inner = l->function;
	return RESULT;
}

static enum holder leave_argument(struct walk *w, const struct line *l)
{
	struct sc_buf argument = {0};
	enum holder found = NOWHERE;

	if (sc_call_text_argument(&argument, sc_buf_text(&l->statement), w->inner.name, "",
				  w->parameter))
		found = take_argument(w, l, sc_buf_text(&argument), w->is_reference);
	sc_buf_fini(&argument);
	return found;
}

/* ---- Python ---- */

/* The class of "Class.__init__"; empty: the frame is of another function. */
static void add_class(struct sc_buf *out, const char *function)
{
	const char *end = strstr(function, ".__init__");

	if (!end || strcmp(end, ".__init__") != 0)
		return;
	sc_buf_add_bytes(out, function, (size_t)(end - function));
}

/* What a statement of one line sets to what a class or function returns. */
static bool is_set(struct walk *w, const struct line *l, const char *maker)
{
	struct sc_buf statement = {0};
	size_t bytes;
	const char *code = sc_source_lines_code(&l->source, l->frame->line, &bytes);
	bool is_found;

	sc_buf_add_bytes(&statement, code, strcspn(code, "#"));
	sc_buf_add_char(&statement, ';');
	is_found = sc_declared_result(&w->name, sc_buf_text(&statement), maker);
	sc_buf_fini(&statement);
	return is_found;
}

/* Streams and events of libraries that are no Python: `s = torch.cuda.Stream()`. */
static bool is_made(struct walk *w, const struct line *l)
{
	static const struct {
		unsigned kind;
		const char *maker;
	} makers[] = {{SC_OP_STREAM_CREATE, "Stream"},	      {SC_OP_STREAM_CREATE, "stream"},
		      {SC_OP_STREAM_CREATE, "create_stream"}, {SC_OP_EVENT_CREATE, "Event"},
		      {SC_OP_EVENT_CREATE, "event"},	      {SC_OP_EVENT_CREATE, "create_event"}};

	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++)
		if (makers[i].kind == w->kind && is_set(w, l, makers[i].maker))
			return 1;
	return 0;
}

/* `up = gpu.Stream()`, of which the constructor is the next frame further in; in a constructor the
 * object is a part of what that makes. */
static enum holder step_python(struct walk *w, const struct line *l, const struct sc_frame *inner,
			       bool is_first)
{
	struct sc_buf class = {0}, own = {0};
	enum holder found = NOWHERE;

	add_class(&class, inner ? inner->function : "");
	add_class(&own, l->frame->function);
	if ((class.bytes && is_set(w, l, class.text)) || (is_first && is_made(w, l)))
		found = VARIABLE;
	if (own.bytes && (is_first || !strncmp(sc_buf_text(&w->name), "self.", 5)))
		found = OBJECT;
	sc_buf_fini(&class);
	sc_buf_fini(&own);
	return found;
}

/* True if the function that the line calls, which is of a library, constructs the object. */
static bool is_constructed(struct walk *w, const struct sc_frame *inner)
{
	sc_declared_function(&w->inner, inner->function);
	return inner->is_internal && sc_declared_constructs(&w->inner);
}

static enum holder step(struct walk *w, const struct sc_report_site *site, size_t at)
{
	enum holder found = NOWHERE;
	struct line l;

	sc_buf_clear(&w->name);
	if (open_line(&l, w->report, &site->frames[at])) {
		if (is_python(l.frame))
			found = step_python(w, &l, at ? l.frame - 1 : NULL, at == site->user);
		else if (at == site->user && at && is_constructed(w, &site->frames[at - 1]))
			found = leave_object(w, &l);
		else if (at == site->user)
			found = begin(w, &l);
		else if (w->holder == OBJECT)
			found = leave_object(w, &l);
		else if (w->holder == RESULT)
			found = leave_result(w, &l);
		else
			found = leave_argument(w, &l);
	}
	close_line(&l);
	return found;
}

/* The frame of the variable, whose name is set; NULL: none fits. */
static const struct sc_frame *walk(struct walk *w, const struct sc_report_site *site)
{
	for (size_t i = site->user; i < site->count; i++) {
		if (site->frames[i].is_internal || !site->frames[i].line)
			continue;
		w->holder = step(w, site, i);
		if (w->holder == VARIABLE)
			return &site->frames[i];
		if (w->holder == NOWHERE)
			break;
	}
	if (!w->local_frame)
		return NULL;
	sc_buf_clear(&w->name);
	sc_buf_add(&w->name, sc_buf_text(&w->local));
	return w->local_frame;
}

static const char *find(const struct sc_report *r, unsigned kind, uint32_t stack)
{
	struct walk w = {.report = r, .kind = kind};
	const struct sc_frame *frame;
	struct sc_report_site site;
	struct sc_buf clean = {0};
	const char *found = NULL;

	if (sc_names_made_count(r->names, kind, stack) != 1)
		return NULL;
	sc_site_of_stack(&site, r, stack);
	frame = walk(&w, &site);
	if (frame && sc_origin_is_only(r, frame, kind, stack)) {
		sc_utf8_add_clean(&clean, sc_buf_text(&w.name));
		found = sc_arena_xtext(&r->variables->arena, clean.text, clean.bytes);
	}
	sc_buf_fini(&clean);
	sc_buf_fini(&w.name);
	sc_buf_fini(&w.local);
	return found;
}

const char *sc_variable_of(const struct sc_report *r, unsigned kind, uint32_t stack)
{
	uint64_t *known;
	const char *found;

	if (!r->variables || !stack)
		return NULL;
	known = sc_u64_map_get(&r->variables->known, (uint64_t)kind << 32 | stack);
	if (*known)
		return *known == 1 ? NULL : (const char *)(uintptr_t)*known;
	found = find(r, kind, stack);
	*sc_u64_map_get(&r->variables->known, (uint64_t)kind << 32 | stack) =
		found ? (uintptr_t)found : 1;
	return found;
}

void sc_variable_add(struct sc_buf *out, const struct sc_report *r, unsigned kind, uint32_t stack)
{
	const char *name = sc_variable_of(r, kind, stack);

	if (name)
		sc_buf_printf(out, " (`%s`)", name);
}
