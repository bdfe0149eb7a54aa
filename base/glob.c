/* Glob: a match is retried from the last star only, so hostile patterns cannot make it slow. */
#include "base/glob.h"

#include <stdbool.h>
#include <string.h>

/* Bytes of the pattern's first item if it matches the character c, else 0. */
static size_t match_one(const char *pattern, char c)
{
	if (*pattern == '?')
		return 1;
	if (*pattern == '\\' && pattern[1])
		return pattern[1] == c ? 2 : 0;
	return *pattern == c;
}

bool sc_glob_matches(const char *pattern, const char *text)
{
	const char *after_star = NULL, *retry = NULL;

	while (*text) {
		size_t took = *pattern == '*' ? 0 : match_one(pattern, *text);

		if (*pattern == '*') {
			after_star = ++pattern;
			retry = text;
		} else if (took) {
			pattern += took;
			text++;
		} else if (after_star) {
			pattern = after_star;
			text = ++retry;
		} else {
			return 0;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

void sc_glob_add_escaped(struct sc_buf *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20) {
			sc_buf_add_char(out, '?');
			continue;
		}
		if (strchr("*?\\", c))
			sc_buf_add_char(out, '\\');
		sc_buf_add_char(out, (char)c);
	}
}
