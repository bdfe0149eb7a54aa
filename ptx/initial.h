/* Initializers of module variables: numbers, addresses of other symbols, parts of addresses. */
#pragma once

#include "ptx/scope.h"

/* Reads what follows '=', up to the ',' or ';' after it, into the module's initials. */
void sc_initial_read(struct sc_ptx_reader *r, uint32_t symbol, unsigned type);
