/* Texts: what is left of the text of a record in a private trace.
 *
 * Names of the program become names by number, sentences of the recorder are cut to what the
 * analysis asks them for. What cannot be judged leaves.
 */
#pragma once

#include <stdbool.h>
#include "base/buf.h"
#include "base/vector.h"
#include "extensions/anonymize/names.h"
#include "trace/reader.h"

/* What the trace calls its kernels, mangled; borrowed. */
typedef SC_VECTOR(const char *) sc_private_kernels;

/* Fills `out` with the text that the record has from now on; false: it has none. Declarations are
 * given to each of `kernels` that they mean. */
bool sc_private_text(struct sc_private_names *n, const sc_private_kernels *kernels,
		     const struct sc_record *r, struct sc_buf *out);
