/* Spelling: what passes is listed; all else is replaced. */
#include "extensions/repair/reproducer/spelling.h"

#include <string.h>

/* Phrases of reports have these beside ASCII. */
static const struct {
	const char *character, *spelled;
} spelled[] = {{"→", "->"}, {"←", "<-"}, {"…", "..."}, {"–", "-"}, {"×", "x"}};

static const char *spelling_of(const char *text, size_t *bytes)
{
	for (size_t i = 0; i < sizeof(spelled) / sizeof(*spelled); i++) {
		*bytes = strlen(spelled[i].character);
		if (!strncmp(text, spelled[i].character, *bytes))
			return spelled[i].spelled;
	}
	return NULL;
}

static char plain(char c, char last)
{
	if (c < 0x20 || c > 0x7e)
		return '_';
	if (c == '\\')
		return '/';
	if ((c == '?' && last == '?') || (c == '*' && last == '/') || (c == '/' && last == '*'))
		return '_';
	return c;
}

void sc_spelling_comment(struct sc_buf *out, const char *text, size_t most)
{
	size_t begin = out->bytes, bytes;
	char last = 0;

	while (*text && out->bytes - begin < most) {
		const char *other = spelling_of(text, &bytes);

		if (other) {
			sc_buf_add(out, other);
			text += bytes;
			last = 0;
			continue;
		}
		last = plain(*text, last);
		sc_buf_add_char(out, last);
		text++;
	}
}

static const char *const taken[] = {
#define SC_TAKEN(word) #word,
#include "extensions/repair/reproducer/taken.def"
#undef SC_TAKEN
};

static bool is_taken(const char *name)
{
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (!strcmp(taken[i], name))
			return 1;
	return !strncmp(name, "cu", 2) || !strncmp(name, "sc_", 3);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A name without a small letter may be a macro; so may one that begins with `_`. */
bool sc_spelling_name(char out[SC_SPELLING_NAME], const char *variable)
{
	size_t at = 0;
	bool has_small = 0;

	for (; *variable && at + 8 < SC_SPELLING_NAME; variable++) {
		bool is_part = is_letter(*variable) || (*variable >= '0' && *variable <= '9');

		if (!at && !is_letter(*variable))
			continue;
		if (!is_part && out[at - 1] == '_')
			continue;
		has_small |= *variable >= 'a' && *variable <= 'z';
		out[at++] = is_part ? *variable : '_';
	}
	while (at && out[at - 1] == '_')
		at--;
	out[at] = 0;
	return has_small && !is_taken(out);
}
