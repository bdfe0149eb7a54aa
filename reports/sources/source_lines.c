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

bool sc_source_lines_is_plain(const struct sc_source_lines *l, unsigned begin)
{
	static const char *const others[] = {"if", "for",  "while", "switch", "return",	 "else",
					     "do", "case", "goto",  "break",  "default", NULL};

	return !begins_with_any(text_of(l, begin), others);
}

/* Counts the conditions of the preprocessor; false where one branch ends and another begins. */
static bool step_condition(const char *text, int *depth)
{
	text += 1 + strspn(text + 1, " \t");
	if (begins_with(text, "if") || begins_with(text, "ifdef") || begins_with(text, "ifndef"))
		++*depth;
	else if (begins_with(text, "endif"))
		--*depth;
	else if (begins_with(text, "else") || begins_with(text, "elif"))
		return *depth > 0;
	return *depth >= 0;
}

bool sc_source_lines_are_beside(const struct sc_source_lines *l, unsigned first, unsigned second)
{
	int depth = 0, conditions = 0;

	for (unsigned line = first; line < second; line++) {
		const char *text = text_of(l, line);
		size_t bytes = code_bytes(text);

		if (*text == '#') {
			if (!step_condition(text, &conditions))
				return 0;
			continue;
		}
		for (size_t k = 0; k < bytes; k++) {
			depth += (text[k] == '{') - (text[k] == '}');
			if (depth < 0)
				return 0;
		}
		if (begins_with(text, "case") || begins_with(text, "default"))
			return 0;
	}
	return !depth && !conditions;
}

static int depth_in(const char *text)
{
	size_t bytes = code_bytes(text);
	int depth = 0;

	for (size_t k = 0; k < bytes; k++)
		depth += (text[k] == '{') - (text[k] == '}');
	return depth;
}

/* The directive at a line without what is before its name, or NULL. */
static const char *directive(const struct sc_source_lines *l, unsigned line)
{
	const char *text = text_of(l, line);

	return *text == '#' ? text + 1 + strspn(text + 1, " \t") : NULL;
}

static unsigned next_directive(const struct sc_source_lines *l, unsigned line)
{
	while (line <= l->lines.count && !directive(l, line))
		line++;
	return line <= l->lines.count ? line : 0;
}

/* The condition around a whole header, which its first two directives set and the last ends; 0 if
 * it has none. */
static unsigned find_guard(const struct sc_source_lines *l)
{
	unsigned first = next_directive(l, 1), second = first ? next_directive(l, first + 1) : 0;
	unsigned last = (unsigned)l->lines.count;
	int depth = 0;

	while (last && is_empty(text_of(l, last)) && *text_of(l, last) != '#')
		last--;
	if (!second || !begins_with(directive(l, first), "ifndef") ||
	    !begins_with(directive(l, second), "define"))
		return 0;
	for (unsigned at = first; at && at <= last; at = next_directive(l, at + 1)) {
		step_condition(text_of(l, at), &depth);
		if (!depth)
			return at == last ? first : 0;
	}
	return 0;
}

/* Calls for each #include before a line that stands in no block and under no condition, with what
 * is after the word, until it returns true. */
static void each_include(const struct sc_source_lines *l, unsigned line,
			 bool (*take)(void *data, unsigned at, const char *text), void *data)
{
	unsigned guard = find_guard(l);
	int depth = 0, conditions = 0;

	for (unsigned at = 1; at < line && at <= l->lines.count; at++) {
		const char *text = directive(l, at);

		if (at == guard)
			continue;
		if (!text) {
			depth += depth_in(text_of(l, at));
			continue;
		}
		step_condition(text_of(l, at), &conditions);
		if (!depth && !conditions && begins_with(text, "include") &&
		    take(data, at, text + strlen("include")))
			return;
	}
}

static bool take_last(void *data, unsigned at, const char *text)
{
	(void)text;
	*(unsigned *)data = at;
	return 0;
}

unsigned sc_source_lines_last_include(const struct sc_source_lines *l, unsigned line)
{
	unsigned last = 0;

	each_include(l, line, take_last, &last);
	return last;
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

struct wanted {
	const char *path;
	bool is_found;
};

/* As it is written there, from some folder on. */
static bool is_of_path(void *data, unsigned at, const char *text)
{
	struct wanted *w = data;
	size_t bytes, all = strlen(w->path);

	(void)at;
	text += strcspn(text, "\"<");
	text += *text != '\0';
	while (!strncmp(text, "./", 2) || !strncmp(text, "../", 3))
		text = strchr(text, '/') + 1;
	bytes = strcspn(text, "\">");
	w->is_found = bytes && bytes < all && w->path[all - bytes - 1] == '/' &&
		      !strncmp(w->path + all - bytes, text, bytes);
	return w->is_found;
}

bool sc_source_lines_includes(const struct sc_source_lines *l, const char *path, unsigned line)
{
	struct wanted w = {.path = path};

	each_include(l, line, is_of_path, &w);
	return w.is_found;
}

bool sc_source_lines_is_cpp(const struct sc_source_lines *l, const char *path)
{
	static const char *const words[] = {"namespace", "template", "class", "using", NULL};
	const char *dot = strrchr(path, '.');
	bool is_cpp = dot && strcmp(dot, ".h") != 0;

	for (unsigned at = 1; at <= l->lines.count; at++) {
		const char *text = text_of(l, at);

		if (*text == '#' && strstr(text, "__cplusplus"))
			return 0;
		is_cpp |= begins_with_any(text, words);
	}
	return is_cpp;
}

/* True if no block around the first line ends before the second. */
static bool sees(const struct sc_source_lines *l, unsigned first, unsigned second)
{
	int depth = 0;

	for (unsigned at = first; at < second && depth >= 0; at++)
		depth += sc_source_lines_depth(l, at);
	return depth >= 0;
}

/* What is between the brackets after the name in a declaration of streams, or nothing. */
static size_t find_bound(const char *text, const char *array, const char **bound)
{
	size_t bytes = strlen(array);

	if (!strstr(text, "cudaStream_t ") && !strstr(text, "CUstream "))
		return 0;
	for (const char *at = text; (at = strstr(at, array)); at += bytes) {
		if (at == text || isalnum((unsigned char)at[-1]) || at[-1] == '_' ||
		    at[bytes] != '[')
			continue;
		*bound = at + bytes + 1;
		return strcspn(*bound, "]");
	}
	return 0;
}

bool sc_source_lines_array(struct sc_buf *bound, const struct sc_source_lines *l, unsigned line,
			   const char *array)
{
	for (unsigned at = line; --at;) {
		const char *text = text_of(l, at), *begin;
		size_t bytes = find_bound(text, array, &begin);

		if (!bytes || !ends_something(text) || !sees(l, at + 1, line))
			continue;
		sc_buf_add_bytes(bound, begin, bytes);
		return 1;
	}
	return 0;
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
