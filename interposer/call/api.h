/* The table of rows: api.def expanded, and the look-up of its names. */
#pragma once

#include <stdbool.h>
#include "interposer/call/row.h"
#include "interposer/driver/entry.h"

extern const struct sc_api sc_apis[SC_APIS];

/* First row with that base name (a cuGetProcAddress name), or -1; sc_api_next gives the others. */
int sc_api_first(const char *base);
int sc_api_next(int row);
/* The row, and in *per_thread the form, of an exported symbol; -1 if it is no row. */
int sc_api_symbol(const char *symbol, bool *per_thread);
/* What cuGetProcAddress(base, version, per_thread) means; -1 if no row. */
int sc_api_choose(const char *base, int version, bool *per_thread);
