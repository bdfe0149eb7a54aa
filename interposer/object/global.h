/* Variables of modules: where the driver says that they lie, and which of them the host can touch.
 *
 * A program that asks for a variable's address may leave out its size, as NVIDIA's runtime does for
 * every symbol. Then the driver is asked once more, with the same handle, before the program gets
 * its answer. Of managed variables a list is kept by module, because every kernel of the module may
 * use them without a parameter that points there; what a launch may reach is armed (guard.h).
 */
#ifndef SC_INTERPOSER_OBJECT_GLOBAL_H
#define SC_INTERPOSER_OBJECT_GLOBAL_H

#include "interposer/core/lock.h"
#include "interposer/object/memory.h"

#define SC_GLOBALS_MOST 256 /* managed variables of all modules that are loaded */

struct sc_call;

struct sc_globals {
	struct sc_lock lock; /* of those who add and remove */
	atomic_uint count;   /* places that were ever used */
	struct {
		atomic_uint module; /* 0: the place is free */
		_Atomic uint64_t start;
	} place[SC_GLOBALS_MOST];
};

/* HAND functions of the rows that ask for a variable: the size, and whose it is. */
void sc_global_of_module(struct sc_call *call);
void sc_global_of_library(struct sc_call *call);
void sc_global_managed(struct sc_call *call);
/* AFTER functions of the same rows: a SYMBOL op says where the variable lies. */
void sc_global_told_of_module(struct sc_call *call);
void sc_global_told_of_library(struct sc_call *call);
void sc_global_told_managed(struct sc_call *call);

/* The module is unloaded: its variables are gone. */
void sc_global_forget(uint32_t module);
/* The next managed variable of the module from place *at on, which moves on. False: no further. */
bool sc_global_next(const struct sc_handle *function, unsigned *at,
		    struct sc_known_allocation *out);

#endif
