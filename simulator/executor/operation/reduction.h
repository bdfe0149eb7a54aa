/* Reductions of bulk copies: operations that add one element to another in memory. */
#pragma once

#include <stdbool.h>

#define EXEC_REDUCTIONS \
	EACH(ADD, add)  \
	EACH(MIN, min)  \
	EACH(MAX, max)  \
	EACH(INC, inc)  \
	EACH(DEC, dec)  \
	EACH(AND, and)  \
	EACH(OR, or)    \
	EACH(XOR, xor)

enum exec_reduction {
	EXEC_NO_REDUCTION,
#define EACH(name, id) EXEC_REDUCTION_##name,
	EXEC_REDUCTIONS
#undef EACH
};

/* Is there one of that type (enum sc_ptx_type)? */
bool exec_is_reduction(enum exec_reduction r, unsigned type);

/* Adds the element `from` to the one in memory, as one atomic operation. `flushes`: subnormal
 * operands and sums of single precision become zero. */
void exec_reduce(char *to, const char *from, enum exec_reduction r, unsigned type, bool flushes);
