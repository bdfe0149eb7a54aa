/* Managed variables of modules: every kernel of a module may use them, and the host can touch them,
 * without a parameter that points there. What a launch may reach is watched (guard/guard.h). */
#ifndef SC_INTERPOSER_OBJECT_GLOBAL_H
#define SC_INTERPOSER_OBJECT_GLOBAL_H

#include "interposer/object/memory.h"

#define SC_GLOBALS_MOST 256 /* managed variables of all modules that are loaded */

struct sc_handle;

/* A managed variable of the module lies there. Without a place for it, it counts as lost. */
void sc_global_add(uint32_t module, uint64_t start);
/* The module is unloaded: its variables are gone. */
void sc_global_forget(uint32_t module);
/* The next managed variable of the function's module from place *at on, which moves on. False: no
 * further. */
bool sc_global_next(const struct sc_handle *function, unsigned *at,
		    struct sc_known_allocation *out);
/* How many managed variables found no place. */
unsigned sc_global_lost(void);

#endif
