/* Source scope: where a variable of C is declared, and where its block ends. */
#pragma once

#include <stdbool.h>
#include "reports/sources/source_lines.h"

/* The last line before another that declares a variable in a block around that one, in the same
 * function; 0 if none does. */
unsigned sc_source_scope_declaration(const struct sc_source_lines *l, const char *name,
				     unsigned line);
/* The line of the bracket that ends the block that a line is in; 0 if it is not found. */
unsigned sc_source_scope_end(const struct sc_source_lines *l, unsigned line);
