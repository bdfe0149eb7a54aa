/* Functions that the device has without PTX (builtin.def): printing, assertions, the heap. */
#pragma once

#include "simulator/executor/warp.h"

/* NULL: there is none of that name. */
const struct exec_builtin *exec_builtin_find(const char *name);

/* Whether a call passes what it needs. */
bool exec_builtin_fits(const struct exec_builtin *builtin, const struct exec_call *call);

/* Runs it for these lanes of the running path. */
void exec_builtin_run(const struct exec_builtin *builtin, struct exec_warp *w,
		      const struct exec_instruction *in, uint32_t lanes);
