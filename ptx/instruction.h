/* Instructions of PTX: one statement of a function's body into one sc_instruction. */
#pragma once

#include "ptx/scope.h"

/* Reads the statement that begins at the current token, its guard included, through the ';'. */
void sc_instruction_read(struct sc_ptx_reader *r);
/* Turns NAME operands that are labels of the function into LABEL operands, at its end. */
void sc_instruction_resolve_labels(struct sc_ptx_reader *r);
/* Type of that name, SC_TYPE_NONE if there is none. */
enum sc_ptx_type sc_instruction_type(const char *text, size_t bytes);
