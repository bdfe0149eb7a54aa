/* Calls: their operands, and handlers of `call` and `ret`. */
#pragma once

#include "simulator/executor/code/operand.h"
#include "simulator/executor/warp.h"

/* Fills an instruction that calls; false: it cannot. */
bool exec_call_decode(struct exec_decoder *d, const struct sc_instruction *in,
		      struct exec_instruction *out);

/* `ret` of a function, and its end. */
exec_handler exec_call_return;
