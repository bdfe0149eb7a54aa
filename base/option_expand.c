/* Options: file name patterns, so that every process of a run writes a file of its own. */
#include "base/option.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *variable;
	const char *marker; /* NULL: none */
} ranks[] = {
#define SC_RANK(variable, marker) {variable, marker},
#include "base/rank.def"
#undef SC_RANK
};

struct name {
	char *text;
	size_t room; /* with the terminator */
	size_t bytes;
	bool is_full;
};

static void add(struct name *n, const char *text, size_t bytes)
{
	if (bytes >= n->room - n->bytes) {
		n->is_full = 1;
		return;
	}
	memcpy(n->text + n->bytes, text, bytes);
	n->bytes += bytes;
	n->text[n->bytes] = '\0';
}

static void add_number(struct name *n, unsigned value)
{
	char digits[10];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	add(n, digits + at, sizeof(digits) - at);
}

/* Digits only, no sign, below a billion; else -1. */
static int parse_rank(const char *text)
{
	int value = 0;

	if (!*text || strlen(text) > 9)
		return -1;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -1;
		value = value * 10 + (*text - '0');
	}
	return value;
}

int sc_options_rank(void)
{
	for (size_t i = 0; i < sizeof(ranks) / sizeof(*ranks); i++) {
		bool counts = !ranks[i].marker || getenv(ranks[i].marker);
		const char *text = counts ? getenv(ranks[i].variable) : NULL;
		int rank = text ? parse_rank(text) : -1;

		if (rank >= 0)
			return rank;
	}
	return -1;
}

/* "q{NAME}" after a '%': adds the variable, returns the characters taken; 0 if the text differs. */
static size_t add_variable(struct name *n, const char *text)
{
	size_t bytes = strcspn(text, "}");
	char variable[128];
	const char *value;

	if (strncmp(text, "q{", 2) != 0 || !text[bytes] || bytes - 2 >= sizeof(variable))
		return 0;
	memcpy(variable, text + 2, bytes - 2);
	variable[bytes - 2] = '\0';
	value = getenv(variable);
	if (value)
		add(n, value, strlen(value));
	return bytes + 1;
}

/* Adds what stands at `pattern`; returns the characters taken. */
static size_t expand_one(struct name *n, const char *pattern, int process, int rank)
{
	size_t took = pattern[0] == '%' ? add_variable(n, pattern + 1) : 0;

	if (took)
		return took + 1;
	if (!strncmp(pattern, "%p", 2))
		add_number(n, (unsigned)process);
	else if (!strncmp(pattern, "%r", 2))
		add_number(n, rank < 0 ? 0 : (unsigned)rank);
	else
		add(n, pattern, 1);
	return pattern[0] == '%' && pattern[1] && strchr("pr%", pattern[1]) ? 2 : 1;
}

int sc_options_expand_for(const char *pattern, int process, int rank, char *out, size_t bytes)
{
	struct name n = {out, bytes, 0, 0};

	if (!bytes)
		return -ENAMETOOLONG;
	out[0] = '\0';
	if (rank < 0)
		rank = sc_options_rank();
	while (*pattern)
		pattern += expand_one(&n, pattern, process, rank);
	return n.is_full ? -ENAMETOOLONG : 0;
}

int sc_options_number(const char *path, int process, char *out, size_t bytes)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	struct name n = {out, bytes, 0, 0};

	if (!bytes)
		return -ENAMETOOLONG;
	out[0] = '\0';
	if (!dot || dot == name)
		dot = name + strlen(name);
	add(&n, path, (size_t)(dot - path));
	add(&n, ".", 1);
	add_number(&n, (unsigned)process);
	add(&n, dot, strlen(dot));
	return n.is_full ? -ENAMETOOLONG : 0;
}

int sc_options_expand(const char *pattern, int process, char *out, size_t bytes)
{
	return sc_options_expand_for(pattern, process, -1, out, bytes);
}
