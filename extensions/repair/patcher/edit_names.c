/* Edit names: the statement at a line, and words of its file. */
#include "extensions/repair/patcher/edit_names.h"

#include <ctype.h>
#include <string.h>
#include "extensions/repair/patcher/c_spot.h"
#include "reports/words/call_text.h"
#include "extensions/repair/patcher/python_names.h"
#include "extensions/repair/patcher/source_statement.h"

bool sc_edit_names_event(struct sc_buf *out, struct sc_sources *s, const struct sc_frame *frame)
{
	struct sc_source_statement at;
	bool is_found;

	if (!frame || !s)
		return 0;
	is_found = sc_source_statement_open(&at, s, frame) &&
		   (sc_call_text_event(out, sc_buf_text(&at.text)) ||
		    (at.is_python && sc_python_names_event(out, &at.lines, at.number)));
	sc_source_statement_close(&at);
	return is_found;
}

struct node {
	struct sc_buf name, graph;
};

static bool find_node(struct node *n, struct sc_sources *s, const struct sc_frame *frame)
{
	struct sc_source_statement at;
	bool is_found;

	if (!frame || !s)
		return 0;
	is_found = sc_source_statement_open(&at, s, frame) && !at.is_python &&
		   sc_call_text_node(&n->name, &n->graph, sc_buf_text(&at.text));
	sc_source_statement_close(&at);
	return is_found;
}

bool sc_edit_names_dependency(struct sc_buf *out, struct sc_sources *s,
			      const struct sc_frame *first, const struct sc_frame *second,
			      bool is_driver)
{
	struct node from = {0}, to = {0};
	bool is_known = find_node(&from, s, first) && find_node(&to, s, second) &&
			!strcmp(from.graph.text, to.graph.text);

	if (is_known)
		sc_buf_printf(out, "%sGraphAddDependencies(%s, &%s, &%s, NULL, 1);",
			      is_driver ? "cu" : "cuda", from.graph.text, from.name.text,
			      to.name.text);
	sc_buf_fini(&from.name);
	sc_buf_fini(&from.graph);
	sc_buf_fini(&to.name);
	sc_buf_fini(&to.graph);
	return is_known;
}

bool sc_edit_names_restreamed(struct sc_buf *out, struct sc_sources *s,
			      const struct sc_frame *frame, const char *stream)
{
	struct sc_source_statement at;
	bool is_found;

	if (!frame || !s)
		return 0;
	is_found =
		sc_source_statement_open(&at, s, frame) &&
		(sc_call_text_set_stream(out, sc_buf_text(&at.text), stream) ||
		 (at.is_python && sc_python_names_set_stream(out, sc_buf_text(&at.text), stream)));
	while (is_found && out->bytes && strchr(" \t", out->text[out->bytes - 1]))
		out->text[--out->bytes] = '\0';
	while (is_found && !at.is_python && out->bytes && out->text[out->bytes - 1] != ';')
		out->text[--out->bytes] = '\0'; /* a comment */
	sc_source_statement_close(&at);
	return is_found;
}

bool sc_edit_names_ends(struct sc_source_frame *out, struct sc_sources *s,
			const struct sc_frame *frame, const char *stream)
{
	struct sc_source_lines source;
	bool is_found;

	if (!frame || !s || !sc_source_lines_read(&source, s, frame->file))
		return 0;
	is_found = sc_source_frame_find(out, &source, frame->line, stream);
	if (!is_found)
		sc_vector_clear(&out->ends);
	sc_source_lines_fini(&source);
	return is_found;
}

bool sc_edit_names_package(struct sc_buf *out, struct sc_sources *s, const struct sc_frame *frame,
			   const char *package)
{
	struct sc_source_statement at;
	bool is_found;

	if (!frame || !s)
		return 0;
	is_found = sc_source_statement_open(&at, s, frame) && at.is_python &&
		   sc_python_names_module(out, &at.lines, package);
	sc_source_statement_close(&at);
	return is_found;
}

void sc_edit_names_stem(struct sc_buf *out, const char *first, const char *second)
{
	const char *slash = strrchr(first, '/'), *name = slash ? slash + 1 : first;

	if ((!strcmp(first, second) && !sc_c_spot_is_header(first)) ||
	    !isalpha((unsigned char)*name))
		return;
	for (; *name && *name != '.'; name++)
		sc_buf_add_char(out, isalnum((unsigned char)*name) ? *name : '_');
	sc_buf_add_char(out, '_');
}

/* The first place of a whole word, or NULL. */
static const char *find_word(const char *text, const char *word)
{
	size_t bytes = strlen(word);
	const char *at = text;

	for (; (at = strstr(at, word)); at++)
		if ((at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
		    !isalnum((unsigned char)at[bytes]) && at[bytes] != '_')
			break;
	return at;
}

void sc_edit_names_replace(struct sc_buf *out, const char *code, const char *word, const char *name)
{
	const char *at;

	for (; (at = find_word(code, word)); code = at + strlen(word)) {
		sc_buf_add_bytes(out, code, (size_t)(at - code));
		sc_buf_add(out, name);
	}
	sc_buf_add(out, code);
}

bool sc_edit_names_has(struct sc_sources *s, const struct sc_frame *frame, const char *word)
{
	struct sc_source_lines source;
	bool is_found = 0;

	if (!frame || !s)
		return 0;
	if (!sc_source_lines_read(&source, s, frame->file))
		return 0;
	for (size_t i = 0; i < source.lines.count && !is_found; i++)
		is_found = find_word(source.lines.items[i], word) != NULL;
	sc_source_lines_fini(&source);
	return is_found;
}
