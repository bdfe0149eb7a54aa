/* Source: single lines of the user's source files, for excerpts, and which files may be read for
 * them.
 *
 * A trace names files as it likes. One that this run recorded leads to what the user's own program
 * was built from; any other one is read from below the current folder and the folders of option
 * source-root only, and there not from hidden files. Only regular files of text are ever read, none
 * of the kernel's.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include "base/buf.h"
#include "base/option.h"

struct sc_sources {
	bool is_off;
	bool is_own; /* the trace is this run's */
	char roots[SC_OPTION_LIST_MAX + 1][PATH_MAX];
	unsigned count;
	unsigned passed_over; /* files that are there, and lie elsewhere */
	int error;	      /* errno of one that is there, and could not be read; 0: none */
};

/* By the options, relative to the current folder. Warns of a root that does not exist. */
void sc_sources_init(struct sc_sources *s, const struct sc_options *o, bool is_own);
/* Opens a file of an absolute path, without waiting; NULL if it may not be read. */
FILE *sc_source_open(struct sc_sources *s, const char *path);
/* Closes it; false if a part could not be read, which is noted. */
bool sc_source_close(struct sc_sources *s, FILE *file);
/* Appends line `number` (from 1) of a file: tabs opened, fit for a terminal, without the space
 * before and after, cut to `columns` (0 = whole). False if the file or the line is not there. */
bool sc_source_line(struct sc_buf *out, struct sc_sources *s, const char *path, unsigned number,
		    unsigned columns);
/* Whether the file was changed after the program or library that was built from it: its lines may
 * have moved. False also where that cannot be known. */
bool sc_source_is_newer(const char *path, const char *module);
