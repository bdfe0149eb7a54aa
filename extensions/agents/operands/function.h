/* The functions of operand.def and dnn.def, as they are found by their names. */
#pragma once

#include "interposer/library/function.h"

struct sc_operand_functions {
#define FUNCTION(name) struct sc_library_function name;
#include "extensions/agents/operands/function.def"
};

extern struct sc_operand_functions sc_operand_functions;
extern const struct sc_functions sc_operand_table;
