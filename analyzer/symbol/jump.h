/* Jumps: where direct calls and jumps of x86-64 code lead, read from the bytes of a file.
 *
 * Code is not disassembled. A byte that may begin a jump counts as one if that leads exactly to the
 * first byte of a function, or through the procedure linkage table to a function of another file:
 * other bytes do so by chance once in 2^32 (once in 2^12 near a function's first byte). Of another
 * processor's code nothing is read. Costs a pass over the relocations, and one over each range that
 * is asked for.
 */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>
#include "analyzer/symbol/table.h"

struct sc_jumps; /* opaque */

struct sc_jump {
	uint64_t place;	  /* of the instruction */
	uint64_t target;  /* first address of a function of this file; 0: it is in another one */
	const char *name; /* of the function in another file, as the linker knows it; else NULL */
};

/* Both are borrowed. */
struct sc_jumps *sc_jumps_new(Elf *elf, const struct sc_symbol_table *symbols);
void sc_jumps_free(struct sc_jumps *j);

/* Which function the call before a return address called; false if the call does not say. */
bool sc_jumps_call(const struct sc_jumps *j, uint64_t back, struct sc_jump *out);
/* Reports all jumps whose first byte is in the range. */
void sc_jumps_each(const struct sc_jumps *j, uint64_t start, uint64_t end,
		   void (*jump)(void *context, const struct sc_jump *jump), void *context);
/* True if other files may call the function at this address. */
bool sc_jumps_is_exported(const struct sc_jumps *j, uint64_t address);
