/* Demangling: compiler names such as _Z5scalePfi back to scale(float*, int). */
#pragma once

#include <stddef.h>

#define SC_DEMANGLE_MAX 4096 /* bytes of the longest name taken or given */

/* Writes the readable form of `name` to `out` (terminated, at most `bytes`); a name that is not
 * mangled, damaged, or grows too long is copied as it is. Safe on hostile names. */
void sc_demangle(const char *name, char *out, size_t bytes);
