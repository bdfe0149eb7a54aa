/* Patterns of long runs, as traces (pattern.def). */
#pragma once

#include <stdint.h>

struct sc_buf;

struct pattern {
	const char *name;
	const char *before; /* once */
	const char *turn;   /* again and again */
};

extern const struct pattern patterns[];
extern const unsigned pattern_count;

/* Appends the trace of so many turns in the text form: the shorter trace of a pattern is the
 * beginning of each longer one. */
void pattern_write(struct sc_buf *out, const struct pattern *p, uint64_t turns);
