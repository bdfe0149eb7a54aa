/* Diff: changed lines of files, written as a unified diff. */
#ifndef SC_EXTENSIONS_REPAIR_PATCHER_DIFF_H
#define SC_EXTENSIONS_REPAIR_PATCHER_DIFF_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/vector.h"
#include "reports/sources/source_lines.h"

struct sc_diff_change {
	unsigned before;    /* new lines stand before this one (from 1) */
	unsigned removed;   /* so many lines from there on go */
	struct sc_buf text; /* owned: new lines, each with its end */
};

struct sc_diff_file {
	char *path; /* owned */
	struct sc_source_lines source;
	SC_VECTOR(struct sc_diff_change) changes;
};

struct sc_diff {
	SC_VECTOR(struct sc_diff_file) files;
	struct sc_sources *sources; /* borrowed */
};

/* The file, read when it is asked for first; NULL if it may not be read. */
struct sc_diff_file *sc_diff_open(struct sc_diff *d, const char *path);
/* Adds a line before another, with the indentation of line `like`. */
void sc_diff_insert(struct sc_diff_file *f, unsigned before, unsigned like, const char *code);
/* Takes lines away. */
void sc_diff_remove(struct sc_diff_file *f, unsigned first, unsigned last);
/* Appends the diff, with paths below `directory` relative to it. */
void sc_diff_write(struct sc_buf *out, struct sc_diff *d, const char *directory);
void sc_diff_fini(struct sc_diff *d);

#endif
