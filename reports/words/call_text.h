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
/* Appends the statement with another stream in its call of CUDA, or launch, if it has just one;
 * text at its end is kept. */
bool sc_call_text_set_stream(struct sc_buf *out, const char *statement, const char *stream);
/* Appends the event that it records, or waits for. */
bool sc_call_text_event(struct sc_buf *out, const char *statement);
/* Appends the variable that a call sets to a new node of a graph, and the graph. */
bool sc_call_text_node(struct sc_buf *node, struct sc_buf *graph, const char *statement);

/* Appends what the statement's only call that makes objects of a kind (enum sc_op_kind) is given
 * for the new one, as it stands there: "&s", "(void **)&a"; false if there are none or several. */
bool sc_call_text_made(struct sc_buf *out, const char *statement, unsigned kind);

/* Parameters. A function is named without what is before it ("space::"). */

/* Which parameter (from 0) of a function, whose head is the text, has a name; false if none has. Of
 * C only a stream's counts. */
bool sc_call_text_parameter(const char *head, const char *function, const char *name,
			    bool is_python, unsigned *index);
/* The same of a parameter `TYPE *NAME` of C, or with the sign '&' of a reference. */
bool sc_call_text_pointer(const char *head, const char *function, const char *name, char sign,
			  unsigned *index);
/* Appends what a statement gives for it, if it calls the function once; 0 arguments in front of
 * Python's own are `self`. */
bool sc_call_text_argument(struct sc_buf *out, const char *statement, const char *function,
			   const char *name, unsigned index);
