/* The wrappers of NCCL's functions (operand.def, COLLECTIVE and GROUP): each hands its parameters
 * on as whole registers. Two for each: one finds the real function by its caller, the other one has
 * what was looked up. */
#include <stddef.h>
#include "extensions/agents/nccl/calls.h"
#include "extensions/agents/operands/function.h"
#include "extensions/agents/words.h"
#include "extensions/agents/wrap.h"

#define CALLED(row, words, frame)    sc_nccl_call(row, row, words, frame)
#define LOOKED_UP(row, words, frame) sc_nccl_call(row, NULL, words, frame)
#define WRAPPERS(name, count)                                                        \
	WORDS_WRAPPER(called_##name, int, count, CALLED, &sc_operand_functions.name) \
	WORDS_WRAPPER(looked_up_##name, int, count, LOOKED_UP, &sc_operand_functions.name)
#define COLLECTIVE(name, count, form, sends, receives) WRAPPERS(name, count)
#define GROUP(name, count, way)			       WRAPPERS(name, count)
#include "extensions/agents/operands/operand.def"

static const struct sc_wrapper wrappers[] = {
#define COLLECTIVE(name, count, form, sends, receives) \
	SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#define GROUP(name, count, way) SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#include "extensions/agents/operands/operand.def"
};

const struct sc_wrappers sc_collective_wrappers = SC_WRAPPERS("nccl", sc_operand_table, wrappers);
