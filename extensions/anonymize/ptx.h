/* PTX without names: what footprints need of a text of device code, and as little else as that.
 *
 * Names are numbered, comments, lines, debug information, strings, initial values of variables and
 * numbers with a fraction leave; instructions and whole numbers stay, because the bytes that a
 * kernel touches follow from them. Kernels that the trace does not define leave as a whole. Every
 * byte of the text may be hostile; the result is any text.
 */
#pragma once

#include <stddef.h>
#include "base/buf.h"
#include "extensions/anonymize/names.h"

/* Appends what is left. Kernels have their names already. */
void sc_private_ptx(struct sc_private_names *n, const char *text, size_t bytes, struct sc_buf *out);
