/* Source lines: statements recognised by their last characters, as people lay out C. */
#include "reports/sources/source_lines.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATEMENT_MAX  12 /* lines */
#define FILE_LINES_MAX 200000

bool sc_source_lines_read(struct sc_source_lines *l, struct sc_sources *s, const char *path)
{
	FILE *file = sc_source_open(s, path);
	char *line = NULL;
	size_t room = 0;
	ssize_t got;

	*l = (struct sc_source_lines){0};
	if (!file)
		return 0;
	while (l->lines.count < FILE_LINES_MAX && (got = getline(&line, &room, file)) >= 0) {
		if (got && line[got - 1] == '\n')
			line[got - 1] = '\0';
		sc_vector_push(&l->lines, line);
		line = NULL;
	}
	free(line);
	if (!sc_source_close(s, file))
		sc_source_lines_fini(l);
	return l->lines.count > 0;
}

void sc_source_lines_fini(struct sc_source_lines *l)
{
	for (size_t i = 0; i < l->lines.count; i++)
		free(l->lines.items[i]);
	sc_vector_fini(&l->lines);
}

static const char *text_of(const struct sc_source_lines *l, unsigned line)
{
	const char *text = line && line <= l->lines.count ? l->lines.items[line - 1] : "";

	return text + strspn(text, " \t");
}

/* Where a comment at the end of so many bytes begins; 0 if none is there. */
static size_t last_comment(const char *text, size_t bytes)
{
	if (bytes < 4 || text[bytes - 1] != '/' || text[bytes - 2] != '*')
		return 0;
	for (size_t at = bytes - 4; at; at--)
		if (text[at] == '/' && text[at + 1] == '*')
			return at;
	return 0;
}

/* Without comments at its end. */
static size_t code_bytes(const char *text)
{
	const char *comment = strstr(text, "//");
	size_t bytes = comment ? (size_t)(comment - text) : strlen(text), begin;

	do {
		while (bytes && isspace((unsigned char)text[bytes - 1]))
			bytes--;
		begin = last_comment(text, bytes);
		bytes = begin ? begin : bytes;
	} while (begin);
	return bytes;
}

/* Between statements: nothing, a comment, the preprocessor. */
static bool is_empty(const char *text)
{
	return !*text || *text == '#' || *text == '*' || !strncmp(text, "//", 2) ||
	       !strncmp(text, "/*", 2);
}

static bool ends_something(const char *text)
{
	size_t bytes = code_bytes(text);

	return bytes && strchr(";{}", text[bytes - 1]);
}

static bool begins_with(const char *text, const char *word)
{
	size_t bytes = strlen(word);

	return !strncmp(text, word, bytes) && !isalnum((unsigned char)text[bytes]) &&
	       text[bytes] != '_';
}

static bool begins_with_any(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (begins_with(text, *words))
			return 1;
	return 0;
}

unsigned sc_source_lines_begin(const struct sc_source_lines *l, unsigned line)
{
	static const char *const parts[] = {"else", "case", "default", "do", "}", NULL};

	for (unsigned i = 0; i < STATEMENT_MAX && line; i++) {
		unsigned before = line - 1;

		while (before && is_empty(text_of(l, before)))
			before--;
		if (!before || ends_something(text_of(l, before)))
			return begins_with_any(text_of(l, line), parts) ? 0 : line;
		line = before;
	}
	return 0;
}

unsigned sc_source_lines_end(const struct sc_source_lines *l, unsigned line)
{
	int depth = 0;

	for (unsigned i = 0; i < STATEMENT_MAX && line <= l->lines.count; i++, line++) {
		const char *text = text_of(l, line);
		size_t bytes = code_bytes(text);

		for (size_t k = 0; k < bytes; k++) {
			depth += (text[k] == '(' || text[k] == '{') -
				 (text[k] == ')' || text[k] == '}');
			if (text[k] == ';' && depth <= 0)
				return k + 1 == bytes && !depth ? line : 0;
		}
	}
	return 0;
}

static int depth_in(const char *text)
{
	size_t bytes = code_bytes(text);
	int depth = 0;

	for (size_t k = 0; k < bytes; k++)
		depth += (text[k] == '{') - (text[k] == '}');
	return depth;
}

const char *sc_source_lines_code(const struct sc_source_lines *l, unsigned line, size_t *bytes)
{
	*bytes = code_bytes(text_of(l, line));
	return text_of(l, line);
}

int sc_source_lines_depth(const struct sc_source_lines *l, unsigned line)
{
	return *text_of(l, line) == '#' ? 0 : depth_in(text_of(l, line));
}

void sc_source_lines_add(struct sc_buf *out, const struct sc_source_lines *l, unsigned begin,
			 unsigned end)
{
	for (unsigned line = begin; line <= end; line++) {
		const char *text = text_of(l, line);

		sc_buf_add_bytes(out, text, code_bytes(text));
		sc_buf_add_char(out, ' ');
	}
}
