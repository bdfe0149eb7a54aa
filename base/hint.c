/* Hints: one table, searched. */
#include "base/hint.h"

#include <stdbool.h>
#include <string.h>

struct hint {
	const char *name;
	const char *text;
};

static const struct hint options[] = {
#define SC_HINT_OPTION(name, text) {name, text},
#define SC_HINT_WORD(name, text)
#include "base/hint.def"
#undef SC_HINT_OPTION
#undef SC_HINT_WORD
};

static const struct hint words[] = {
#define SC_HINT_OPTION(name, text)
#define SC_HINT_WORD(name, text) {name, text},
#include "base/hint.def"
#undef SC_HINT_OPTION
#undef SC_HINT_WORD
};

static bool is_same(const char *name, const char *asked, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (name[i] != (asked[i] == '_' ? '-' : asked[i]))
			return 0;
	return !name[bytes];
}

static const char *find(const struct hint *hints, size_t count, const char *asked, size_t bytes)
{
	for (size_t i = 0; i < count; i++)
		if (is_same(hints[i].name, asked, bytes))
			return hints[i].text;
	return NULL;
}

const char *sc_hint_option(const char *name, size_t bytes)
{
	return find(options, sizeof(options) / sizeof(*options), name, bytes);
}

const char *sc_hint_word(const char *word)
{
	return find(words, sizeof(words) / sizeof(*words), word, strlen(word));
}
