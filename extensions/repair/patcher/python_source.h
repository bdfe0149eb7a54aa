/* Python source: the statements of a Python file, each with its lines and its indentation.
 *
 * Strings, brackets and backslashes join lines as in Python. Nothing is evaluated: what a statement
 * does is known by its first word. A file that ends inside a string or a bracket has no statements.
 */
#ifndef SC_EXTENSIONS_REPAIR_PATCHER_PYTHON_SOURCE_H
#define SC_EXTENSIONS_REPAIR_PATCHER_PYTHON_SOURCE_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/vector.h"
#include "reports/sources/source_lines.h"

struct sc_python_statement {
	unsigned first, last; /* lines of the file, from 1 */
	unsigned indent;      /* columns before it; a tab goes to the next multiple of 8 */
	bool is_head;	      /* if, for, def and others that have a block, or one behind a colon */
	bool is_several;      /* statements with `;` between them */
};

struct sc_python_source {
	const struct sc_source_lines *source; /* borrowed */
	SC_VECTOR(struct sc_python_statement) list;
};

/* False if the file is not complete. Finish it in any case. */
bool sc_python_source_read(struct sc_python_source *l, const struct sc_source_lines *source);
void sc_python_source_fini(struct sc_python_source *l);
/* The statement that has a line, + 1; or 0. */
size_t sc_python_source_at(const struct sc_python_source *l, unsigned line);
/* The head of the block that statement `i` (from 0) is in, + 1; 0: the module itself. */
size_t sc_python_source_head(const struct sc_python_source *l, size_t i);
/* Appends the text of a statement, without comments, its lines joined by spaces. */
void sc_python_source_add(struct sc_buf *out, const struct sc_python_source *l, size_t i);
/* True if the statement begins with this word. */
bool sc_python_source_begins(const struct sc_python_source *l, size_t i, const char *word);
/* True if a statement can be put before this one, at its indentation, and runs as often. */
bool sc_python_source_takes_before(const struct sc_python_source *l, size_t i);
/* True if one can be put after it. */
bool sc_python_source_takes_after(const struct sc_python_source *l, size_t i);
/* True if whoever comes to the second, in the same function, has run the first: no block ends in
 * between but those of `with` and a stream or device. */
bool sc_python_source_leads(const struct sc_python_source *l, size_t first, size_t second);

#endif
