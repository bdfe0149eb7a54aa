/* Lex: a line of the text form cut into tokens, and the small values inside tokens.
 *
 * Tokens point into the text; nothing is copied. A token is a bare word, "quoted text" or a
 * [list], each with an optional key= before it. `#` at the start of a token begins a comment.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"

/* A stretch of text; borrowed. */
struct sc_text_span {
	const char *text;
	size_t bytes;
};

enum sc_token_form { SC_TOKEN_WORD, SC_TOKEN_QUOTED, SC_TOKEN_LIST };

struct sc_token {
	struct sc_text_span key;   /* empty if there is none */
	struct sc_text_span value; /* without quotes or brackets */
	enum sc_token_form form;
};

/* Takes the next token off the front of the line: 1, 0 at the end of the line, -1 if a quote or a
 * bracket is not closed. */
int sc_lex_token(struct sc_text_span *line, struct sc_token *out);
/* Takes the next element off a list's inside: parts between commas or white space. */
bool sc_lex_element(struct sc_text_span *list, struct sc_text_span *out);
/* Takes the part before the separator off the front; all of it if there is none. True if there
 * was one. */
bool sc_lex_split(struct sc_text_span *rest, char separator, struct sc_text_span *out);

bool sc_span_is(struct sc_text_span s, const char *text);
/* A whole number: decimal or 0x hexadecimal, with one of the suffixes k, m, g. */
bool sc_lex_number(struct sc_text_span s, uint64_t *out);
/* Appends the quoted text without its escapes (\" \\ \n \t \xHH). False if one is malformed. */
bool sc_lex_unquote(struct sc_text_span s, struct sc_buf *out);
/* Appends the text as it has to stand between quotes. */
void sc_lex_quote(struct sc_buf *out, const char *text, size_t bytes);
/* Appends the bytes that pairs of hexadecimal digits stand for. False if the text has others. */
bool sc_lex_hex(struct sc_text_span s, struct sc_buf *out);
/* Length of the name ([A-Za-z_][A-Za-z0-9_.]*) at the start, 0 if there is none. */
size_t sc_lex_name(struct sc_text_span s);
