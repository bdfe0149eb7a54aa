/* Constant expressions: what stands for an integer, "2*(8+4)", "~0", "1<<4". */
#pragma once

#include "ptx/lexer.h"

/* True where one begins that is more than a name: a number, a parenthesis, '~'. */
bool sc_constant_begins(const struct sc_lexer *l);

/* Its value, modulo 2^64; goes to the token after it. `minus`: of its first operand the negative.
 */
int64_t sc_constant_read(struct sc_lexer *l, bool minus);

/* The same of a part that ends before a '+' or '-' of its own level. */
int64_t sc_constant_read_term(struct sc_lexer *l, bool minus);
