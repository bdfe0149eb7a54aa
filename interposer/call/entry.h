/* The driver's entry points: found in libcuda itself, on first use, or as the driver gave them out.
 */
#ifndef SC_INTERPOSER_CALL_ENTRY_H
#define SC_INTERPOSER_CALL_ENTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include "interposer/call/api.h"
#include "interposer/call/driver.h"

struct sc_entries {
	void *_Atomic libcuda; /* a handle that keeps it loaded */
	void *_Atomic driver[SC_APIS][2];
	void *_Atomic get_proc_address[2]; /* cuGetProcAddress, cuGetProcAddress_v2 */
	void *_Atomic export_table;	   /* of the simulated driver (refusal.h) */
	atomic_uint driver_known;
	atomic_int asker; /* process that asked the loader for a driver; 0: none */
	struct sc_driver calls;
};

/* What was found in the parent is there in the child of a fork. */
extern struct sc_entries sc_entries;

/* The loaded libcuda, or NULL. */
void *sc_entry_library(void);
/* The real entry point of a row; NULL if libcuda is not loaded or lacks it. */
void *sc_entry_find(int row, bool per_thread);
/* Remembers the pointer that dlsym or cuGetProcAddress gave for a row. */
void sc_entry_learn(int row, bool per_thread, void *function);

#endif
