/* The real functions of the names that this library exports.
 *
 * They are found by the loader's RTLD_NEXT (the driver's: driver/entry.h). All are resolved on
 * first use and kept; resolving may happen before any constructor ran and inside another library's.
 * dlsym is special, because it is exported too: dlvsym, which is not, finds it.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum sc_real_number {
#define REAL(name) SC_REAL_##name,
#include "interposer/core/real_all.def"
#undef REAL
	SC_REALS
};

typedef void *sc_dlsym_fn(void *handle, const char *name);

struct sc_real {
	sc_dlsym_fn *_Atomic dlsym;
	void *_Atomic libc[SC_REALS];
	size_t (*usable_size)(
		void *); /* of the allocator that free() belongs to; NULL: not known */
};

/* What was found stays in the child of a fork. */
extern struct sc_real sc_real;

/* The real dlsym, never NULL. */
sc_dlsym_fn *sc_real_dlsym(void);
/* A libc function by its number, or NULL if libc has none. */
void *sc_real_find(enum sc_real_number number);
/* Finds all real functions: later the loader may not be called (a signal handler, a child of
 * vfork). */
void sc_real_find_all(void);
#define SC_REAL(name) ((typeof(&(name)))sc_real_find(SC_REAL_##name))
