/* Source scope: declarations and assignments, recognised by what is around a name. */
#include "reports/sources/source_scope.h"

#include <ctype.h>
#include <string.h>

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The next use of a name as a whole word that is no member of something; NULL: none is left. */
static const char *find_word(const char *text, const char *end, const char *name, size_t bytes)
{
	for (const char *at = text; (at = strstr(at, name)) && at + bytes <= end; at += bytes) {
		bool is_member = at > text && (at[-1] == '.' || at[-1] == '>');

		if ((at == text || !is_of_name(at[-1])) && !is_of_name(at[bytes]) && !is_member)
			return at;
	}
	return NULL;
}

/* True if the code begins with a type and another word: a declaration, or a function's head. */
static bool begins_with_type(const char *code)
{
	static const char *const others[] = {"return", "delete", "goto", "case",  "throw",
					     "else",   "if",	 "for",	 "while", "switch",
					     "do",     "using",	 "new",	 NULL};
	size_t bytes = 0;

	while (is_of_name(code[bytes]) || code[bytes] == ':')
		bytes++;
	for (size_t i = 0; others[i]; i++)
		if (bytes == strlen(others[i]) && !strncmp(code, others[i], bytes))
			return 0;
	if (!bytes || isdigit((unsigned char)*code))
		return 0;
	code += bytes;
	if (*code == '<') /* arguments of a template */
		code += strcspn(code, ">") + (strchr(code, '>') != NULL);
	bytes = strspn(code, " \t*&");
	return bytes && is_of_name(code[bytes]);
}

/* True if the name there is what is declared: after its type, or after another name of it. */
static bool is_declared_at(const char *code, const char *at)
{
	const char *before = at;
	bool has_value = 0;
	int depth = 0;

	for (const char *c = code; c < at; c++) {
		depth += (*c == '(' || *c == '{' || *c == '[') -
			 (*c == ')' || *c == '}' || *c == ']');
		has_value = (has_value && !(*c == ',' && !depth)) || *c == '=';
	}
	while (before > code && strchr(" \t*&", before[-1]))
		before--;
	if (has_value || before == code)
		return 0;
	return (before < at && (is_of_name(before[-1]) || before[-1] == '>')) ||
	       (before[-1] == ',' && !depth);
}

/* True if a parameter of a function, or not yet in one, at a line that is in none of its blocks. */
static bool is_left(const struct sc_source_lines *l, unsigned from, unsigned line, bool is_head)
{
	bool has_begun = 0;
	int depth = 0;

	for (unsigned at = from + !is_head; at < line; at++) {
		depth += sc_source_lines_depth(l, at);
		has_begun |= depth > 0;
		if (depth < 0 || (is_head && has_begun && !depth))
			return 1;
	}
	return is_head && !has_begun;
}

static bool declares(const struct sc_source_lines *l, unsigned at, const char *name, size_t bytes,
		     unsigned line)
{
	size_t length;
	const char *code = sc_source_lines_code(l, at, &length), *end = code + length;
	bool is_statement = length && code[length - 1] == ';', is_in_head;

	for (const char *word = code; (word = find_word(word, end, name, bytes)); word += bytes) {
		const char *bracket = memchr(code, '(', (size_t)(word - code));

		is_in_head = !is_statement && bracket;
		if (!is_declared_at(code, word) || (is_statement && bracket && !strchr(code, '=')))
			continue;
		return !is_left(l, at, line, is_in_head);
	}
	return 0;
}

static size_t root_bytes(const char *name)
{
	size_t bytes = 0;

	while (is_of_name(name[bytes]))
		bytes++;
	return isdigit((unsigned char)*name) ? 0 : bytes;
}

unsigned sc_source_scope_declaration(const struct sc_source_lines *l, const char *name,
				     unsigned line)
{
	size_t bytes = root_bytes(name), length;
	char root[128];

	if (!bytes || bytes >= sizeof(root))
		return 0;
	memcpy(root, name, bytes);
	root[bytes] = '\0';
	for (unsigned at = line; --at;)
		if (begins_with_type(sc_source_lines_code(l, at, &length)) &&
		    declares(l, at, root, bytes, line))
			return at;
	return 0;
}

unsigned sc_source_scope_end(const struct sc_source_lines *l, unsigned line)
{
	int depth = 0;

	for (unsigned at = line + 1; at <= l->lines.count; at++) {
		depth += sc_source_lines_depth(l, at);
		if (depth < 0)
			return at;
	}
	return 0;
}
