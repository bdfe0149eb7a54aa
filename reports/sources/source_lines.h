/* Source lines: a whole source file as lines, and where statements begin and end in it. */
#pragma once

#include <stdbool.h>
#include "base/buf.h"
#include "base/vector.h"
#include "reports/sources/source.h"

struct sc_source_lines {
	SC_VECTOR(char *) lines; /* owned; line 1 is item 0, without its end */
};

/* False if the file may not be read. */
bool sc_source_lines_read(struct sc_source_lines *l, struct sc_sources *s, const char *path);
void sc_source_lines_fini(struct sc_source_lines *l);
/* First and last line (from 1) of the statement of C that is at a line; 0 if it is not a whole one
 * that another statement can stand beside: a branch of an if, several in one line. */
unsigned sc_source_lines_begin(const struct sc_source_lines *l, unsigned line);
unsigned sc_source_lines_end(const struct sc_source_lines *l, unsigned line);
/* True if the statement only does what it says: no if, loop or return is around it. */
bool sc_source_lines_is_plain(const struct sc_source_lines *l, unsigned begin);
/* True if no block begins or ends between two lines without the other. */
bool sc_source_lines_are_beside(const struct sc_source_lines *l, unsigned first, unsigned second);
/* The last #include before a line that stands in no block and under no condition but that which
 * keeps a header from being read twice; 0 if none does. */
unsigned sc_source_lines_last_include(const struct sc_source_lines *l, unsigned line);
/* True if such an #include before a line is of the file of this path. */
bool sc_source_lines_includes(const struct sc_source_lines *l, const char *path, unsigned line);
/* True if a header of this path is one of C++, and none that is made for C too. */
bool sc_source_lines_is_cpp(const struct sc_source_lines *l, const char *path);
/* Appends the size that an array of streams is declared with, before a line that sees it. */
bool sc_source_lines_array(struct sc_buf *bound, const struct sc_source_lines *l, unsigned line,
			   const char *array);
/* A line's code, without what is before it, and how long it is without a comment at its end. */
const char *sc_source_lines_code(const struct sc_source_lines *l, unsigned line, size_t *bytes);
/* How many more blocks begin in a line than end there; 0 for the preprocessor's. */
int sc_source_lines_depth(const struct sc_source_lines *l, unsigned line);
/* Appends the statement's text. */
void sc_source_lines_add(struct sc_buf *out, const struct sc_source_lines *l, unsigned begin,
			 unsigned end);
