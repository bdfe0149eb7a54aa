/* Call text: a call as the source has it, and which streams and events it names there. */
#pragma once

#include <stdbool.h>
#include "base/buf.h"
#include "reports/sources/source.h"

/* Appends the statement that begins at a line (from 1) of a C, C++ or CUDA file, up to its end; the
 * number of its lines, or 0 if it cannot be read or does not end soon. */
unsigned sc_call_text_read(struct sc_buf *out, struct sc_sources *s, const char *path,
			   unsigned line);
/* Appends the stream that a statement's call of CUDA, or launch, names; false if none is seen. */
bool sc_call_text_stream(struct sc_buf *out, const char *statement);
/* Appends the event that it records, or waits for. */
bool sc_call_text_event(struct sc_buf *out, const char *statement);

/* Appends what the statement's only call that makes objects of a kind (enum sc_op_kind) is given
 * for the new one, as it stands there: "&s", "(void **)&a"; false if there are none or several. */
bool sc_call_text_made(struct sc_buf *out, const char *statement, unsigned kind);

/* Parameters. A function is named without what is before it ("space::"). */

/* Which parameter (from 0) of a function, whose head is the text, is `TYPE *NAME`, or with the sign
 * '&' of a reference; false if none is. */
bool sc_call_text_pointer(const char *head, const char *function, const char *name, char sign,
			  unsigned *index);
/* Appends what a statement gives for it, if it calls the function once; 0 arguments in front of
 * Python's own are `self`. */
bool sc_call_text_argument(struct sc_buf *out, const char *statement, const char *function,
			   const char *name, unsigned index);
