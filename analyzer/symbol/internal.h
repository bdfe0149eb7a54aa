/* Which frames are not the user's code: CUDA, streamcheck, the C and C++ libraries. */
#ifndef SC_ANALYZER_SYMBOL_INTERNAL_H
#define SC_ANALYZER_SYMBOL_INTERNAL_H

#include "analyzer/symbol/symbol.h"

/* Judged by module, source file and function; `is_internal` itself is not looked at. */
_Bool sc_symbol_is_internal(const struct sc_frame *frame);

#endif
