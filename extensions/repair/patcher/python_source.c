/* Python source: a scan for strings, brackets, comments and ends of lines. */
#include "extensions/repair/patcher/python_source.h"

#include <ctype.h>
#include <string.h>

/* Where a scan stands. */
struct scan {
	char quote;	     /* of the string that it is in, or 0 */
	bool is_triple;	     /* that string ends with three of them */
	bool is_joined;	     /* a backslash ended the line */
	int depth;	     /* of brackets */
	struct sc_buf *code; /* if not NULL: gets what is no comment */
	bool has_semicolon;
};

static void keep(struct scan *s, const char *text, size_t bytes)
{
	if (s->code)
		sc_buf_add_bytes(s->code, text, bytes);
}

/* One step inside a string; returns how many characters it took. */
static size_t step_string(struct scan *s, const char *text)
{
	if (*text == '\\' && text[1])
		return 2;
	if (*text != s->quote)
		return 1;
	if (!s->is_triple) {
		s->quote = 0;
		return 1;
	}
	if (text[1] != s->quote || text[2] != s->quote)
		return 1;
	s->quote = 0;
	return 3;
}

static size_t step_code(struct scan *s, const char *text)
{
	if (*text == '"' || *text == '\'') {
		s->quote = *text;
		s->is_triple = text[1] == *text && text[2] == *text;
		return s->is_triple ? 3 : 1;
	}
	s->depth += strchr("([{", *text) != NULL;
	s->depth -= strchr(")]}", *text) != NULL;
	s->has_semicolon |= *text == ';';
	return 1;
}

/* Takes a line; false if a string of one line does not end in it. */
static bool step_line(struct scan *s, const char *text)
{
	s->is_joined = 0;
	while (*text) {
		size_t bytes;

		if (!s->quote && *text == '#')
			break;
		if (*text == '\\' && !text[1]) {
			s->is_joined = 1;
			break;
		}
		bytes = s->quote ? step_string(s, text) : step_code(s, text);
		keep(s, text, bytes);
		text += bytes;
	}
	return !s->quote || s->is_triple || s->is_joined;
}

static bool goes_on(const struct scan *s)
{
	return s->quote || s->depth > 0 || s->is_joined;
}

static unsigned indent_of(const char *text)
{
	unsigned columns = 0;

	for (; *text == ' ' || *text == '\t'; text++)
		columns = *text == '\t' ? (columns / 8 + 1) * 8 : columns + 1;
	return columns;
}

static const char *code_of(const struct sc_python_source *l, unsigned line)
{
	const char *text = l->source->lines.items[line - 1];

	return text + strspn(text, " \t\f\r");
}

static bool begins(const char *text, const char *word)
{
	size_t bytes = strlen(word);

	return !strncmp(text, word, bytes) && !isalnum((unsigned char)text[bytes]) &&
	       text[bytes] != '_';
}

static bool begins_with_any(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (begins(text, *words))
			return 1;
	return 0;
}

/* `match` and `case` are names elsewhere: as heads they end with a colon. */
static bool is_head(const struct sc_python_source *l, const struct sc_python_statement *line)
{
	static const char *const heads[] = {"if",    "elif",  "else",	"for",	   "while",
					    "with",  "try",   "except", "finally", "def",
					    "class", "async", NULL};
	static const char *const soft[] = {"match", "case", NULL};
	struct scan s = {0};
	struct sc_buf code = {0};
	bool ends_with_colon;

	if (begins_with_any(code_of(l, line->first), heads))
		return 1;
	if (!begins_with_any(code_of(l, line->first), soft))
		return 0;
	s.code = &code;
	step_line(&s, code_of(l, line->last));
	while (code.bytes && isspace((unsigned char)code.text[code.bytes - 1]))
		code.bytes--;
	ends_with_colon = code.bytes && code.text[code.bytes - 1] == ':';
	sc_buf_fini(&code);
	return ends_with_colon;
}

bool sc_python_source_read(struct sc_python_source *l, const struct sc_source_lines *source)
{
	unsigned total = (unsigned)source->lines.count;

	*l = (struct sc_python_source){.source = source};
	for (unsigned line = 1; line <= total; line++) {
		const char *text = code_of(l, line);
		struct sc_python_statement next = {.first = line};
		struct scan s = {0};

		if (!*text || *text == '#')
			continue;
		next.indent = indent_of(source->lines.items[line - 1]);
		while (step_line(&s, code_of(l, line)) && goes_on(&s) && line < total)
			line++;
		if (goes_on(&s) || s.depth < 0)
			return 0;
		next.last = line;
		next.is_several = s.has_semicolon;
		next.is_head = is_head(l, &next);
		sc_vector_push(&l->list, next);
	}
	return l->list.count > 0;
}

void sc_python_source_fini(struct sc_python_source *l)
{
	sc_vector_fini(&l->list);
}

size_t sc_python_source_at(const struct sc_python_source *l, unsigned line)
{
	for (size_t i = 0; i < l->list.count; i++)
		if (l->list.items[i].first <= line && line <= l->list.items[i].last)
			return i + 1;
	return 0;
}

size_t sc_python_source_head(const struct sc_python_source *l, size_t i)
{
	unsigned indent = l->list.items[i].indent;

	while (i && indent)
		if (l->list.items[--i].indent < indent)
			return i + 1;
	return 0;
}

void sc_python_source_add(struct sc_buf *out, const struct sc_python_source *l, size_t i)
{
	const struct sc_python_statement *at = &l->list.items[i];
	struct scan s = {.code = out};

	for (unsigned line = at->first; line <= at->last; line++) {
		step_line(&s, code_of(l, line));
		if (line < at->last)
			sc_buf_add_char(out, ' ');
	}
}

bool sc_python_source_begins(const struct sc_python_source *l, size_t i, const char *word)
{
	return begins(code_of(l, l->list.items[i].first), word);
}

bool sc_python_source_takes_before(const struct sc_python_source *l, size_t i)
{
	static const char *const parts[] = {"elif",  "else",  "except", "finally", "case", "for",
					    "while", "async", "def",	"class",   NULL};
	const char *text = code_of(l, l->list.items[i].first);

	return *text != '@' && !begins_with_any(text, parts);
}

bool sc_python_source_takes_after(const struct sc_python_source *l, size_t i)
{
	static const char *const ends[] = {"return", "raise", "break", "continue", NULL};
	const struct sc_python_statement *at = &l->list.items[i];
	const char *text = code_of(l, at->first);

	return *text != '@' && !at->is_head && !at->is_several && !begins_with_any(text, ends);
}

/* A `with` that lets no error of its block pass: a name alone, or a stream or device. */
static bool is_plain_with(const struct sc_python_source *l, size_t i)
{
	struct sc_buf text = {0};
	bool is_plain = 0;

	if (sc_python_source_begins(l, i, "with")) {
		sc_python_source_add(&text, l, i);
		is_plain = !strchr(text.text, '(') || strstr(text.text, "tream") ||
			   strstr(text.text, ".device(") || strstr(text.text, ".Device(");
	}
	sc_buf_fini(&text);
	return is_plain;
}

bool sc_python_source_leads(const struct sc_python_source *l, size_t first, size_t second)
{
	while (first < second) {
		size_t head = sc_python_source_head(l, first), end = first + 1;

		while (end < l->list.count &&
		       (!head || l->list.items[end].indent > l->list.items[head - 1].indent))
			end++;
		if (second < end)
			return 1;
		if (!head || !is_plain_with(l, head - 1))
			return 0;
		first = head - 1;
	}
	return 0;
}
