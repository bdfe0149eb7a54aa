/* Lines: which line of the text form each printed record stands on, so that links can name it. */
#pragma once

#include "base/vector.h"
#include "trace/reader.h"

struct sc_lines {
	SC_VECTOR(uint64_t) sequences; /* ascending; index + 1 is the line */
};

/* The lines printed so far of the reader's current pass. */
struct sc_lines *sc_reader_printed(const struct sc_reader *r);

void sc_lines_fini(struct sc_lines *l);
/* The record gets the next line, unless it stands before one that has a line. */
void sc_lines_add(struct sc_lines *l, uint64_t sequence);
/* Line of a record, or 0 if it was not printed. Binary search. */
uint64_t sc_lines_find(const struct sc_lines *l, uint64_t sequence);
