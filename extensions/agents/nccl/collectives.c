/* The wrappers of NCCL's functions (operand.def, COLLECTIVE and GROUP): each hands its parameters
 * on as whole registers. Two for each: one finds the real function by its caller, the other one has
 * what was looked up. */
#include <stddef.h>
#include "extensions/agents/nccl/calls.h"
#include "extensions/agents/operands/function.h"
#include "extensions/agents/words.h"
#include "extensions/agents/wrap.h"

#define GROUP(name, count, way) \
	WORDS_WRAPPERS(name, int, count, sc_nccl_call, &sc_operand_functions.name)
#define COLLECTIVE(name, count, form, sends, receives) \
	WORDS_WRAPPERS(name, int, count, sc_nccl_call, &sc_operand_functions.name)
#include "extensions/agents/operands/operand.def"

static const struct sc_wrapper wrappers[] = {
#define COLLECTIVE(name, count, form, sends, receives) \
	SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#define GROUP(name, count, way) SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#include "extensions/agents/operands/operand.def"
};

const struct sc_wrappers sc_collective_wrappers = SC_WRAPPERS("nccl", sc_operand_table, wrappers);
