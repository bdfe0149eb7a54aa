/* Source scope: whether a variable of C is the same one at two lines. */
#pragma once

#include <stdbool.h>
#include "reports/sources/source_lines.h"

/* True if a stream's name (`s`, `streams[1]`, `job->in`) stands for one stream at both lines (from
 * 1, either may be the earlier one): its variable is declared in a block around both, or for the
 * whole file, and between the two nothing is assigned to it. */
bool sc_source_scope_is_same(const struct sc_source_lines *l, const char *name, unsigned one,
			     unsigned other);
/* The last line before another that declares a variable in a block around that one, in the same
 * function; 0 if none does. */
unsigned sc_source_scope_declaration(const struct sc_source_lines *l, const char *name,
				     unsigned line);
/* The line of the bracket that ends the block that a line is in; 0 if it is not found. */
unsigned sc_source_scope_end(const struct sc_source_lines *l, unsigned line);
