/* Stream name: from the innermost call outwards, from parameter to argument. */
#include "extensions/repair/patcher/stream_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include "reports/words/call_text.h"
#include "extensions/repair/patcher/python_names.h"
#include "extensions/repair/patcher/source_statement.h"

#define HEAD_LINES 12 /* of a function in C, up to its body */

struct walk {
	struct sc_sources *sources;
	struct sc_buf name;	/* empty: none so far */
	struct sc_buf function; /* the one that has it as a parameter, or empty */
	struct sc_buf parameter;
	unsigned index;
	const char *global; /* the file whose name it is, or NULL */
};

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_name(const char *text)
{
	bool is_plain = *text && !isdigit((unsigned char)*text);

	while (is_of_name(*text))
		text++;
	return is_plain && !*text;
}

/* "space::function<int>(float *)" without what is around the name. */
static void set_function(struct sc_buf *out, const char *text)
{
	size_t end = strcspn(text, "(<"), begin = end;

	while (begin && is_of_name(text[begin - 1]))
		begin--;
	sc_buf_clear(out);
	sc_buf_add_bytes(out, text + begin, end - begin);
}

/* ---- parameters ---- */

static bool find_c_parameter(struct walk *w, const struct sc_source_lines *source, unsigned line)
{
	struct sc_buf head = {0};
	bool is_found = 0;

	if (line > source->lines.count)
		return 0;
	for (unsigned at = line; at && !is_found; at--) {
		if (!strstr(source->lines.items[at - 1], w->function.text))
			continue;
		sc_buf_clear(&head);
		for (unsigned k = at; k < at + HEAD_LINES && k <= source->lines.count; k++)
			sc_buf_printf(&head, "%s ", source->lines.items[k - 1]);
		is_found = sc_call_text_parameter(head.text, w->function.text, w->name.text, 0,
						  &w->index);
	}
	sc_buf_fini(&head);
	return is_found;
}

static bool find_python_parameter(struct walk *w, const struct sc_source_statement *at)
{
	size_t function = sc_python_names_function(&at->lines, at->number);
	struct sc_buf head = {0};
	bool is_found;

	if (!function)
		return 0;
	sc_python_source_add(&head, &at->lines, function - 1);
	is_found = sc_call_text_parameter(sc_buf_text(&head), w->function.text, w->name.text, 1,
					  &w->index);
	sc_buf_fini(&head);
	return is_found;
}

/* Declared once in the file, and not in a block. */
static bool is_c_global(const struct sc_source_lines *source, const char *name)
{
	unsigned count = 0, global = 0;

	for (size_t i = 0; i < source->lines.count; i++) {
		const char *text = source->lines.items[i], *type = strstr(text, "cudaStream_t");
		size_t bytes = strlen(name);

		type = type ? type : strstr(text, "CUstream");
		for (const char *at = type; at && (at = strstr(at, name)); at += bytes) {
			if (is_of_name(at[-1]) || is_of_name(at[bytes]))
				continue;
			count++;
			global += is_of_name(*text) && !strchr(text, '(');
		}
	}
	return count == 1 && global == 1;
}

/* Where the name comes from, for the caller of the function. */
static bool trace_back(struct walk *w, const struct sc_source_statement *at,
		       const struct sc_frame *frame)
{
	set_function(&w->function, frame->function);
	if (!is_name(w->name.text) || !w->function.bytes)
		return 0;
	if (at->is_python ? find_python_parameter(w, at)
			  : find_c_parameter(w, &at->source, frame->line)) {
		sc_buf_clear(&w->parameter);
		sc_buf_add(&w->parameter, w->name.text);
		return 1;
	}
	if (!(at->is_python ? sc_python_names_is_global(&at->lines, w->name.text)
			    : is_c_global(&at->source, w->name.text)))
		return 0;
	w->global = frame->file;
	return 1;
}

/* ---- frames ---- */

/* What the line itself says. */
static enum sc_stream_name read_own(struct walk *w, const struct sc_source_statement *at,
				    bool is_last)
{
	if (sc_call_text_stream(&w->name, sc_buf_text(&at->text)))
		return SC_STREAM_NAME_FOUND;
	if (!at->is_python)
		return SC_STREAM_NAME_NONE;
	switch (sc_python_names_stream(&w->name, &at->lines, at->number)) {
	case SC_PYTHON_STREAM_NAMED: return SC_STREAM_NAME_FOUND;
	case SC_PYTHON_STREAM_CURRENT: return SC_STREAM_NAME_NONE;
	case SC_PYTHON_STREAM_WITHIN: return is_last ? SC_STREAM_NAME_NONE : SC_STREAM_NAME_HIDDEN;
	case SC_PYTHON_STREAM_HIDDEN: break;
	}
	return SC_STREAM_NAME_HIDDEN;
}

/* What the line passes on to the function that it calls. */
static enum sc_stream_name read_passed(struct walk *w, const struct sc_source_statement *at,
				       const struct sc_frame *frame)
{
	if (w->global)
		return strcmp(w->global, frame->file) != 0 ? SC_STREAM_NAME_HIDDEN
							   : SC_STREAM_NAME_FOUND;
	sc_buf_clear(&w->name);
	if (!sc_call_text_argument(&w->name, sc_buf_text(&at->text), w->function.text,
				   w->parameter.text, w->index))
		return SC_STREAM_NAME_HIDDEN;
	return SC_STREAM_NAME_FOUND;
}

static enum sc_stream_name step(struct walk *w, const struct sc_frame *frame, bool is_last)
{
	struct sc_source_statement at;
	enum sc_stream_name found;

	if (!sc_source_statement_open(&at, w->sources, frame))
		found = w->name.bytes ? SC_STREAM_NAME_HIDDEN : SC_STREAM_NAME_NONE;
	else if (w->name.bytes)
		found = read_passed(w, &at, frame);
	else
		found = read_own(w, &at, is_last);
	if (found == SC_STREAM_NAME_FOUND && !is_last && !w->global && !trace_back(w, &at, frame))
		found = SC_STREAM_NAME_HIDDEN;
	sc_source_statement_close(&at);
	return found;
}

/* The frames are those from the one that called CUDA (the first) to that of the line (the last). */
static enum sc_stream_name walk(struct sc_buf *out, struct sc_sources *s,
				const struct sc_frame *frames, size_t count)
{
	struct walk w = {.sources = s};
	enum sc_stream_name found = SC_STREAM_NAME_NONE;

	for (size_t i = 0; i < count && found != SC_STREAM_NAME_HIDDEN; i++)
		if (i + 1 == count || (!frames[i].is_internal && frames[i].line))
			found = step(&w, &frames[i], i + 1 == count);
	if (found == SC_STREAM_NAME_FOUND)
		sc_buf_add(out, sc_buf_text(&w.name));
	sc_buf_fini(&w.name);
	sc_buf_fini(&w.function);
	sc_buf_fini(&w.parameter);
	return found;
}

/* An address may have several frames, of inlined calls. */
static bool is_same(const struct sc_frame *a, const struct sc_frame *b)
{
	return a->pc == b->pc && a->line == b->line && !strcmp(a->function, b->function) &&
	       !strcmp(a->file, b->file);
}

enum sc_stream_name sc_stream_name_find(struct sc_buf *out, const struct sc_report *r,
					const struct sc_frame *frame,
					const struct sc_edit_place *place)
{
	struct sc_report_site site;
	struct sc_op op;
	size_t last;

	if (!frame || !r->sources || !sc_reader_op(r->reader, place->op, &op))
		return SC_STREAM_NAME_NONE;
	sc_site_of(&site, r, &op);
	for (last = site.user; last < site.count && !is_same(&site.frames[last], frame); last++)
		;
	if (last == site.count)
		return walk(out, r->sources, frame, 1);
	return walk(out, r->sources, &site.frames[site.user], last - site.user + 1);
}
