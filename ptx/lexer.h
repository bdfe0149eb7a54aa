/* The PTX lexer: cuts PTX text into tokens, one at a time, never past the end of the text.
 *
 * A word is an identifier or an opcode with all its dotted modifiers ("ld.global.v4.f32",
 * "%tid.x", "$L__BB0_2"); a directive is a dot and one identifier. Comments and white space
 * fall away. A byte that begins no token comes out as a mark of its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sc_token_kind {
	SC_TOKEN_END,
	SC_TOKEN_WORD,
	SC_TOKEN_DIRECTIVE,
	SC_TOKEN_INTEGER, /* `value` */
	SC_TOKEN_FLOAT,	  /* `value`: its bits, of a float if `is_single`, else of a double */
	SC_TOKEN_STRING,
	SC_TOKEN_MARK /* one character: text[0] */
};

struct sc_lexer {
	const char *at;	 /* after the current token; borrowed */
	const char *end; /* of the text */
	uint32_t line;	 /* of the current token, from 1 */
	enum sc_token_kind kind;
	const char *text; /* of the current token */
	size_t bytes;
	int64_t value;
	bool is_single;
};

/* Starts at the first token. */
void sc_lexer_init(struct sc_lexer *l, const char *text, size_t bytes);
void sc_lexer_next(struct sc_lexer *l);
/* Goes to the first token of the next line (.loc and .file have no other end). */
void sc_lexer_skip_line(struct sc_lexer *l);
/* With the current token at a '{': goes to the first token after the '}' that closes it, without
 * looking at the tokens between. Returns where that '}' ends. */
const char *sc_lexer_skip_block(struct sc_lexer *l);
/* True if the current token is this mark, or this word or directive. */
bool sc_lexer_is_mark(const struct sc_lexer *l, char mark);
bool sc_lexer_is_text(const struct sc_lexer *l, const char *text);
/* Steps over the mark if it is the current token. */
bool sc_lexer_take(struct sc_lexer *l, char mark);
