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
/* A line's code, without what is before it, and how long it is without a comment at its end. */
const char *sc_source_lines_code(const struct sc_source_lines *l, unsigned line, size_t *bytes);
/* How many more blocks begin in a line than end there; 0 for the preprocessor's. */
int sc_source_lines_depth(const struct sc_source_lines *l, unsigned line);
/* Appends the statement's text. */
void sc_source_lines_add(struct sc_buf *out, const struct sc_source_lines *l, unsigned begin,
			 unsigned end);
