/* Tail calls: functions that are missing in a stack, because they jumped to the function that they
 * called last.
 *
 * An optimizing compiler makes a jump of a call after which nothing is left to do. Then the stack
 * has the function that was called, and as its caller the caller of the one that jumped. Which
 * function that caller had called stands in its code; if the jumps from there to the callee are one
 * path only, the functions on it ran, and where they jumped are their lines. A stub is reached by
 * jumps of its own file only, so it is found from its end too, where the caller called by a
 * pointer.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/symbol/jump.h"
#include "analyzer/symbol/table.h"

#define SC_TAIL_DEPTH 8 /* jumps of a path */
#define SC_TAIL_PATHS 4 /* more are not compared */

/* Addresses of the jumps, the last one first. */
struct sc_tail_path {
	uint64_t jump[SC_TAIL_DEPTH];
	unsigned count;
};

struct sc_tails {
	struct sc_tail_path path[SC_TAIL_PATHS];
	unsigned count; /* 0: none, or too many */
};

/* The paths from the function that returns to `back` to the one that holds `callee`. `is_stub`:
 * that is a kernel's stub or host function, which only launches of the kernel call. */
void sc_tail_between(struct sc_tails *out, const struct sc_jumps *j,
		     const struct sc_symbol_table *symbols, uint64_t callee, uint64_t back,
		     bool is_stub);
/* The paths from the function that returns to `back` out of the file, to functions whose names
 * begin with `prefix`. */
void sc_tail_out(struct sc_tails *out, const struct sc_jumps *j,
		 const struct sc_symbol_table *symbols, uint64_t back, const char *prefix);
/* The paths to the stub or host function that holds `callee`, called from another file. */
void sc_tail_into(struct sc_tails *out, const struct sc_jumps *j,
		  const struct sc_symbol_table *symbols, uint64_t callee);
