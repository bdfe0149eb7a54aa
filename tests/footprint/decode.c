/* Opcode text taken apart for the test machine. */
#include "tests/footprint/decode.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool has_part(const char *opcode, const char *part)
{
	size_t bytes = strlen(part);

	for (const char *at = strchr(opcode, '.'); at; at = strchr(at + 1, '.'))
		if (!strncmp(at + 1, part, bytes) && (!at[1 + bytes] || at[1 + bytes] == '.'))
			return 1;
	return 0;
}

static void decode_type(struct decoded *d, const char *part)
{
	char kind = *part;
	unsigned bits = (unsigned)strtoul(part + 1, NULL, 10);

	if (!strcmp(part, "pred")) {
		kind = 'p';
		bits = 1;
	} else if (!strchr("usbf", kind) || part[1] < '0' || part[1] > '9') {
		return;
	}
	if (strchr(part, 'x'))
		kind = 'f';
	if (!d->bits) {
		d->bits = bits;
		d->kind = kind;
	} else if (!d->bits2) {
		d->bits2 = bits;
		d->kind2 = kind;
	}
}

static void decode_part(struct decoded *d, const char *part)
{
	static const char *const compares[] = {"eq",  "ne",  "lt",  "le", "gt",	 "ge",
					       "lo",  "ls",  "hi",  "hs", "equ", "neu",
					       "ltu", "leu", "gtu", "geu"};
	static const char *const atomics[] = {"add", "min",  "max", "inc", "dec",
					      "cas", "exch", "and", "or",  "xor"};

	decode_type(d, part);
	for (unsigned i = 0; i < sizeof(compares) / sizeof(*compares); i++)
		if (!strcmp(part, compares[i]))
			strcpy(d->compare, part);
	for (unsigned i = 0; i < sizeof(atomics) / sizeof(*atomics); i++)
		if (!strcmp(part, atomics[i]))
			strcpy(d->atomic, part);
	if (!strcmp(part, "and") || !strcmp(part, "or") || !strcmp(part, "xor"))
		strcpy(d->boolean, part);
	if (part[0] == 'v' && part[1] >= '2' && part[1] <= '8' && !part[2])
		d->vector = (unsigned)(part[1] - '0');
	d->wide |= !strcmp(part, "wide");
	d->high |= !strcmp(part, "hi");
}

struct decoded decode(const char *opcode)
{
	static const char *const words[] = {
		"",
#define WORD(id, text) text,
#include "tests/footprint/decode.def"
#undef WORD
	};
	struct decoded d = {.vector = 1};
	char copy[128], *part, *rest = copy;

	strncpy(copy, opcode, sizeof(copy) - 1);
	copy[sizeof(copy) - 1] = 0;
	part = strsep(&rest, ".");
	for (unsigned i = 1; i < WORDS; i++)
		if (!strcmp(words[i], part))
			d.word = (enum word)i;
	while ((part = strsep(&rest, ".")))
		decode_part(&d, part);
	return d;
}
