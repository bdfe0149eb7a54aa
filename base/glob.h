/* Glob: patterns of names: * any characters, ? one character, \x the character x. */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

/* True if the pattern matches the whole text. Costs at most pattern × text steps, whatever they
 * hold. */
bool sc_glob_matches(const char *pattern, const char *text);
/* Appends text as the pattern that matches nothing else. */
void sc_glob_add_escaped(struct sc_buf *out, const char *text);
