/* The words, numbers and formulas of declarations, line by line.
 *
 * A line ends at its end or at ';'. One that begins with '#' is a comment.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "analyzer/declare/formula.h"
#include "base/arena.h"

struct sc_declaration_lexer {
	const char *name;
	const char *at, *line_end, *next, *end; /* borrowed text */
	unsigned line, next_line;
	char *message;
	size_t message_bytes;
};

void sc_declaration_lexer_init(struct sc_declaration_lexer *l, const char *name, const char *text,
			       size_t text_bytes, char *message, size_t message_bytes);
/* Goes to the next line; false at the end. */
bool sc_declaration_next_line(struct sc_declaration_lexer *l);
/* Writes the message of an error in the current line; false, for the caller to return. */
bool sc_declaration_fail(struct sc_declaration_lexer *l, const char *what);

/* True if nothing but space is left in the line. */
bool sc_declaration_at_end(struct sc_declaration_lexer *l);
/* Steps over this word or mark if it comes next. */
bool sc_declaration_take(struct sc_declaration_lexer *l, const char *word);
/* What is left of the line, without the spaces around it. */
const char *sc_declaration_rest(struct sc_declaration_lexer *l, size_t *bytes);
bool sc_declaration_number(struct sc_declaration_lexer *l, int64_t *value);
/* The N of argN. */
bool sc_declaration_argument(struct sc_declaration_lexer *l, int64_t *value);
/* A formula; false if it failed, with the message. */
bool sc_declaration_formula(struct sc_declaration_lexer *l, struct sc_arena *arena,
			    struct sc_formula *out);
