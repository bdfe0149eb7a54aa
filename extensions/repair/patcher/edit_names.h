/* Edit names: what the source at a line calls its events and the package of its calls, in C or in
 * Python.
 */
#ifndef SC_EXTENSIONS_REPAIR_PATCHER_EDIT_NAMES_H
#define SC_EXTENSIONS_REPAIR_PATCHER_EDIT_NAMES_H

#include <stdbool.h>
#include "extensions/repair/patcher/source_frame.h"
#include "reports/sources/site.h"
#include "reports/sources/source.h"

/* All take NULL for sources that may not be read, and for lines that are not known: then false. */

/* Appends the event that the statement records or waits for. */
bool sc_edit_names_event(struct sc_buf *out, struct sc_sources *s, const struct sc_frame *frame);
/* Appends a call that lets the node of a graph that the second line makes depend on that of the
 * first, as of CUDA 13, if both are variables. */
bool sc_edit_names_dependency(struct sc_buf *out, struct sc_sources *s,
			      const struct sc_frame *first, const struct sc_frame *second,
			      bool is_driver);
/* Appends the statement, in one line, with another stream as the argument of its call. */
bool sc_edit_names_restreamed(struct sc_buf *out, struct sc_sources *s,
			      const struct sc_frame *frame, const char *stream);
/* Finds where a variable of the function ends that the statement at a line of C uses. */
bool sc_edit_names_ends(struct sc_source_frame *out, struct sc_sources *s,
			const struct sc_frame *frame, const char *stream);
/* Appends the name under which a Python file imports a package. */
bool sc_edit_names_package(struct sc_buf *out, struct sc_sources *s, const struct sc_frame *frame,
			   const char *package);
/* Appends what a name begins with that more files of C may see than one: "file_"; nothing for what
 * is of one source file. */
void sc_edit_names_stem(struct sc_buf *out, const char *first, const char *second);
/* Appends code in which each such word is another name. */
void sc_edit_names_replace(struct sc_buf *out, const char *code, const char *word,
			   const char *name);
/* True if the file has this word. */
bool sc_edit_names_has(struct sc_sources *s, const struct sc_frame *frame, const char *word);

#endif
