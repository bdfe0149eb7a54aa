/* Source: single lines of the user's source files, for excerpts. */
#ifndef SC_REPORTS_SOURCE_H
#define SC_REPORTS_SOURCE_H

#include <stdio.h>
#include "base/buf.h"

/* Opens a regular file of an absolute path, without waiting; NULL for anything else. */
FILE *sc_source_open(const char *path);
/* Appends line `number` (from 1) of a file: tabs opened, fit for a terminal, without the space in
 * front and behind, cut to `columns` (0 = whole). False if the file or the line is not there. */
_Bool sc_source_line(struct sc_buf *out, const char *path, unsigned number, unsigned columns);
/* Whether the file was changed after the program or library that was built from it: its lines may
 * have moved. False also where that cannot be known. */
_Bool sc_source_is_newer(const char *path, const char *module);

#endif
