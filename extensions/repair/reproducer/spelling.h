/* Spelling: text of a trace, which may be hostile, as comments and names of a C++ program. */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

#define SC_SPELLING_NAME 40

/* Appends text that stays inside of a line comment: printable ASCII without backslashes, without
 * what could begin a trigraph or open another comment, of `most` bytes at most. */
void sc_spelling_comment(struct sc_buf *out, const char *text, size_t most);
/* Makes a name of what the source calls a variable; false if none is left, or the program or a
 * header has it for something else. */
bool sc_spelling_name(char out[SC_SPELLING_NAME], const char *variable);
