/* Calls that ask where a variable of a module lies.
 *
 * Such a call may leave out the variable's size, as NVIDIA's runtime does for every symbol. Then
 * the driver is asked once more, with the same handle, before the program gets its answer.
 */
#pragma once

#include "interposer/call/call.h"

/* HAND functions of the rows: the variable's size, and its module. */
void sc_symbol_in_module(struct sc_call *call);
void sc_symbol_in_library(struct sc_call *call);
void sc_symbol_managed(struct sc_call *call);
/* AFTER functions of the same rows: a SYMBOL op says where the variable lies. */
void sc_symbol_found_in_module(struct sc_call *call);
void sc_symbol_found_in_library(struct sc_call *call);
void sc_symbol_found_managed(struct sc_call *call);
