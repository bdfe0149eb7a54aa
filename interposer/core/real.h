/* The real functions behind those that this library exports.
 *
 * libc's are found by the loader's RTLD_NEXT, the driver's in libcuda itself. All are resolved on
 * first use and kept; resolving may happen before any constructor ran and inside another library's.
 * dlsym is special, because it is exported too: dlvsym, which is not, finds it.
 */
#ifndef SC_INTERPOSER_CORE_REAL_H
#define SC_INTERPOSER_CORE_REAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "interposer/call/api.h"
#include "interposer/call/driver.h"

enum sc_real_number {
#define REAL(name) SC_REAL_##name,
#include "interposer/core/reals.def"
#undef REAL
	SC_REALS
};

typedef void *sc_dlsym_fn(void *handle, const char *name);

struct sc_real {
	sc_dlsym_fn *_Atomic dlsym;
	void *_Atomic libcuda; /* a handle that keeps it loaded */
	void *_Atomic libc[SC_REALS];
	void *_Atomic driver[SC_APIS][2];
	void *_Atomic get_proc_address[2]; /* cuGetProcAddress, cuGetProcAddress_v2 */
	void *_Atomic export_table;	   /* of the simulated driver (refusal.h) */
	atomic_uint driver_known;
	atomic_int asker; /* process that asked the loader for a driver; 0: none */
	struct sc_driver calls;
	size_t (*usable_size)(
		void *); /* of the allocator that free() belongs to; NULL: not known */
};

/* The real dlsym, never NULL. */
sc_dlsym_fn *sc_real_dlsym(void);
/* A libc function by its number, or NULL if libc has none. */
void *sc_real_find(enum sc_real_number number);
/* Finds them all: later the loader may not be asked (a signal handler, a child of vfork). */
void sc_real_find_all(void);
#define SC_REAL(name) ((typeof(&(name)))sc_real_find(SC_REAL_##name))
/* The loaded libcuda, or NULL. */
void *sc_real_libcuda(void);
/* The real entry point of a row; NULL if libcuda is not loaded or lacks it. */
void *sc_real_driver(int row, bool per_thread);
/* Remembers the pointer that dlsym or cuGetProcAddress gave for a row. */
void sc_real_learn(int row, bool per_thread, void *function);

#endif
