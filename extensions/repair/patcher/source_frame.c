/* Source frame: the block of the variable, read from its declaration to its bracket. */
#include "extensions/repair/patcher/source_frame.h"

#include <ctype.h>
#include <string.h>
#include "reports/sources/source_scope.h"

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(const char *text, const char *end, const char *word)
{
	size_t bytes = strlen(word);

	for (const char *at = text; (at = strstr(at, word)) && at + bytes <= end; at += bytes)
		if ((at == text || !is_of_name(at[-1])) && !is_of_name(at[bytes]))
			return 1;
	return 0;
}

/* True if a line declares an array of this name, or anything else of it where the statement takes
 * its address, and not one that outlives the function. */
static bool is_on_stack(const struct sc_source_lines *l, unsigned line, const char *name,
			bool is_address)
{
	size_t bytes = strlen(name), length;
	const char *code = sc_source_lines_code(l, line, &length), *end = code + length, *at = code;
	const char *bracket = memchr(code, '(', length);

	if (!length || code[length - 1] != ';' || has_word(code, end, "static") ||
	    has_word(code, end, "extern") || has_word(code, end, "thread_local"))
		return 0;
	while ((at = strstr(at, name)) && at < end &&
	       (is_of_name(at[bytes]) || (at > code && is_of_name(at[-1]))))
		at += bytes;
	if (!at || at >= end || (bracket && bracket < at))
		return 0;
	return is_address || at[bytes] == '[';
}

/* The declaration of the variable of the function whose life ends first, of those that the
 * statement names; 0 if there is none. */
static unsigned find_variable(const struct sc_source_lines *l, unsigned begin, unsigned end)
{
	struct sc_buf text = {0};
	unsigned found = 0;
	char name[128];

	sc_source_lines_add(&text, l, begin, end);
	for (const char *at = sc_buf_text(&text); *at;) {
		bool is_address = at > text.text && at[-1] == '&';
		size_t bytes = 0;
		unsigned line;

		while (is_of_name(at[bytes]))
			bytes++;
		if (bytes && bytes < sizeof(name) && !isdigit((unsigned char)*at)) {
			memcpy(name, at, bytes);
			name[bytes] = '\0';
			line = sc_source_scope_declaration(l, name, begin);
			if (line > found && is_on_stack(l, line, name, is_address))
				found = line;
		}
		at += bytes ? bytes : 1;
	}
	sc_buf_fini(&text);
	return found;
}

/* True if the line may leave the block in a way that no wait can be put before. */
static bool leaves(const struct sc_source_lines *l, unsigned line, bool is_function)
{
	static const char *const always[] = {"goto", "throw", "longjmp", "co_return", "asm", NULL};
	static const char *const loops[] = {"break", "continue", "case", "default", NULL};
	size_t bytes;
	const char *code = sc_source_lines_code(l, line, &bytes), *end = code + bytes;

	for (size_t i = 0; always[i]; i++)
		if (has_word(code, end, always[i]))
			return 1;
	for (size_t i = 0; loops[i] && !is_function; i++)
		if (has_word(code, end, loops[i]))
			return 1;
	/* A function inside of the function has returns of its own. */
	if (strstr(code, "[&") || strstr(code, "[=") || strstr(code, "[]"))
		return 1;
	return has_word(code, end, "return") &&
	       (strncmp(code, "return", 6) != 0 || sc_source_lines_begin(l, line) != line ||
		!sc_source_lines_end(l, line));
}

/* True if the block ends with a return. */
static bool ends_with_return(const struct sc_source_lines *l, unsigned last, unsigned bracket)
{
	size_t bytes;

	if (!last)
		return 0;
	for (unsigned line = sc_source_lines_end(l, last) + 1; line < bracket; line++) {
		const char *code = sc_source_lines_code(l, line, &bytes);

		if (bytes && *code != '#')
			return 0;
	}
	return 1;
}

/* True if the bracket is the last of a function: nothing is around it. */
static bool is_function_end(const struct sc_source_lines *l, unsigned bracket)
{
	return *l->lines.items[bracket - 1] == '}';
}

bool sc_source_frame_find(struct sc_source_frame *out, const struct sc_source_lines *l,
			  unsigned line, const char *stream)
{
	unsigned begin = sc_source_lines_begin(l, line), last = 0, bracket, declared;
	unsigned end = begin ? sc_source_lines_end(l, begin) : 0;
	size_t bytes;
	bool is_function;

	declared = end ? find_variable(l, begin, end) : 0;
	bracket = declared ? sc_source_scope_end(l, declared) : 0;
	if (!bracket || bracket <= end || !sc_source_lines_is_plain(l, begin) ||
	    !sc_source_lines_are_beside(l, declared, begin) ||
	    *sc_source_lines_code(l, bracket, &bytes) != '}')
		return 0;
	is_function = is_function_end(l, bracket);
	for (line = end + 1; line < bracket; line++) {
		const char *code = sc_source_lines_code(l, line, &bytes);

		if (leaves(l, line, is_function))
			return 0;
		if (!has_word(code, code + bytes, "return"))
			continue;
		sc_vector_push(&out->ends, line);
		last = line;
	}
	if (!ends_with_return(l, last, bracket))
		sc_vector_push(&out->ends, bracket);
	for (size_t i = 0; i < out->ends.count; i++)
		if (!sc_source_scope_is_same(l, stream, begin, out->ends.items[i]))
			return 0;
	return 1;
}

void sc_source_frame_fini(struct sc_source_frame *f)
{
	sc_vector_fini(&f->ends);
}
