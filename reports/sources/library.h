/* Library: findings that are a library's own business: the program's author can do nothing there.
 */
#pragma once

#include <stdbool.h>
#include "reports/report.h"

/* True if the finding is not proven, and a library's own thread looks at memory that the library
 * made, or both operations are made by a library: no line of the user's leads to them, or one call
 * of the user's leads to both, and to the memory, through code that is not the user's. Appends the
 * library's name. */
bool sc_library_owns(struct sc_buf *name, const struct sc_report *r, const struct sc_finding *f);
/* True if one call of the user's, to a function of CUDA's runtime, made the memory and both
 * operations: the function does that by itself, and whether it may is not the program's affair. */
bool sc_library_is_inside(const struct sc_report *r, const struct sc_finding *f);
