/* Hints: one table, searched. */
#include "base/hint.h"

#include <stdbool.h>
#include <string.h>
#include "base/word.h"

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

static const char *const names[] = {
#define SC_OPTION_TEXT(member, name, value, shown, help)      name,
#define SC_OPTION_NUMBER(member, name, value, min, max, help) name,
#define SC_OPTION_SIZE(member, name, value, help)	      name,
#define SC_OPTION_CHOICE(member, name, value, words, help)    name,
#define SC_OPTION_LIST(member, name, shown, help)	      name,
#include "base/option.def"
#undef SC_OPTION_TEXT
#undef SC_OPTION_NUMBER
#undef SC_OPTION_SIZE
#undef SC_OPTION_CHOICE
#undef SC_OPTION_LIST
};

/* A third of the letters may differ; of two names equally far the first. */
const char *sc_hint_nearest(const char *name, size_t bytes)
{
	size_t best = bytes / 3 + 1;
	const char *found = NULL;

	if (bytes > SC_WORD_MAX)
		return NULL; /* all are equally far */
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t far = sc_word_distance(name, bytes, names[i]);

		if (far <= best) {
			best = far - !!far;
			found = names[i];
		}
	}
	return found;
}
