/* Managed variables of modules: every kernel of a module may use them, and the host can touch them,
 * without a parameter that points there. What a launch may reach is watched (guard/guard.h). */
#pragma once

#include "interposer/object/memory.h"

#define SC_MANAGED_VARIABLES_MOST 256 /* managed variables of all modules that are loaded */

struct sc_handle;

/* A managed variable of the module lies there. Without a place for it, it counts as lost. */
void sc_managed_variable_add(uint32_t module, uint64_t start);
/* The module is unloaded: its variables are gone. */
void sc_managed_variable_forget(uint32_t module);
/* The next managed variable of the function's module from place *at on, which moves on. False: no
 * further. */
bool sc_managed_variable_next(const struct sc_handle *function, unsigned *at,
			      struct sc_known_allocation *out);
/* How many managed variables found no place. */
unsigned sc_managed_variable_lost(void);
