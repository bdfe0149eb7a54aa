/* Python names: what a Python file calls a module, and the streams and events of its statements. */
#ifndef SC_EXTENSIONS_REPAIR_PATCHER_PYTHON_NAMES_H
#define SC_EXTENSIONS_REPAIR_PATCHER_PYTHON_NAMES_H

#include <stdbool.h>
#include "base/buf.h"
#include "extensions/repair/patcher/python_source.h"

/* Appends the name under which the file imports a module ("numba.cuda"), at its top level; false if
 * it does not. */
bool sc_python_names_module(struct sc_buf *out, const struct sc_python_source *l,
			    const char *module);
/* How a statement says in which stream it works. */
enum sc_python_stream {
	SC_PYTHON_STREAM_CURRENT, /* not at all: the one that is current there */
	SC_PYTHON_STREAM_NAMED,
	SC_PYTHON_STREAM_WITHIN, /* by a `with` around it, of no plain name: it is current there */
	SC_PYTHON_STREAM_HIDDEN	 /* by an argument that is no plain name */
};

/* Appends the stream that statement `i` (from 0) names: as argument `stream`, as the third of a
 * launch in square brackets, or by a `with` of a stream around it in the same function. */
enum sc_python_stream sc_python_names_stream(struct sc_buf *out, const struct sc_python_source *l,
					     size_t i);
/* Appends a statement's text with another stream as its argument, if it has one that is a name. */
bool sc_python_names_set_stream(struct sc_buf *out, const char *text, const char *stream);
/* The function that statement `i` is in: its head, + 1; or 0. */
size_t sc_python_names_function(const struct sc_python_source *l, size_t i);
/* True if a name belongs to the module: it is given a value at the top level, and is nowhere else
 * a parameter, or given one. */
bool sc_python_names_is_global(const struct sc_python_source *l, const char *name);
/* True if a statement between two others (from 0) gives the name a value. */
bool sc_python_names_is_set(const struct sc_python_source *l, const char *name, size_t first,
			    size_t second);
/* Appends the event that statement `i` records or waits for. */
bool sc_python_names_event(struct sc_buf *out, const struct sc_python_source *l, size_t i);
/* The last import at the top level before line `line`, + 1; or 0. */
size_t sc_python_names_last_import(const struct sc_python_source *l, unsigned line);

#endif
