/* Which frames are not the user's code: CUDA, streamcheck, the C and C++ libraries. */
#ifndef SC_ANALYZER_SYMBOL_INTERNAL_H
#define SC_ANALYZER_SYMBOL_INTERNAL_H

#include <stdbool.h>
#include "analyzer/symbol/symbol.h"

/* Judged by module, source file and function; `is_internal` itself is not looked at. */
bool sc_symbol_is_internal(const struct sc_frame *frame);

#endif
