/* The functions of operand.def and dnn.def. */
#include "extensions/agents/operands/function.h"

struct sc_operand_functions sc_operand_functions;

static const struct {
#define FUNCTION(name) SC_NAME_MEMBER(name, #name)
#include "extensions/agents/operands/function.def"
} names = {
#define FUNCTION(name) SC_NAME(name, #name)
#include "extensions/agents/operands/function.def"
};

const struct sc_functions sc_operand_table = {SC_FUNCTIONS(sc_operand_functions, names)};
