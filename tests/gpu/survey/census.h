/* Which kernels the simulated device can execute, and what keeps it from executing the others. */
#ifndef GPU_CENSUS_H
#define GPU_CENSUS_H

#include <stddef.h>

#include "base/vector.h"
#include "ptx/ptx.h"

#define CENSUS_WORDS 64 /* bytes of a reason */

struct census_reason {
	char text[CENSUS_WORDS]; /* the first instruction that is not known, or another reason */
	unsigned long kernels;
};

struct census {
	unsigned long kernels, executable;
	SC_VECTOR(struct census_reason) reasons;
};

/* Counts the kernels of a text, which was read as `m`. */
void census_add(struct census *c, const struct sc_ptx *m, const char *text, size_t bytes);
/* Prints "executable": 1, "refused": {"reason": 1}. */
void census_print(const struct census *c);
void census_fini(struct census *c);

#endif
