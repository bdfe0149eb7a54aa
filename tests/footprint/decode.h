/* Opcode text taken apart for the test machine. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum word {
	WORD_NONE,
#define WORD(id, text) WORD_##id,
#include "tests/footprint/decode.def"
#undef WORD
	WORDS
};

struct decoded {
	enum word word;
	unsigned bits, bits2; /* of the first and second type */
	char kind, kind2;     /* u s b f p */
	unsigned vector;
	bool wide, high;
	char compare[4]; /* "lt" */
	char boolean[4];
	char atomic[8]; /* "add" */
};

struct decoded decode(const char *opcode);
bool has_part(const char *opcode, const char *part);
