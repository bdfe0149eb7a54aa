/* The driver's entry points: their numbers and symbols (the rows of call/api.def), and where they
 * are: found in libcuda itself on first use, or as the driver gave them out. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include "interposer/driver/driver.h"

enum sc_api_number {
#define API(base, suffix, ...)	SC_API_##base##suffix,
#define API0(base, suffix, ...) SC_API_##base##suffix,
#include "interposer/call/api.def"
#undef API
#undef API0
	SC_APIS
};

struct sc_entries {
	void *_Atomic libcuda; /* a handle that keeps it loaded */
	void *_Atomic driver[SC_APIS][2];
	void *_Atomic get_proc_address[2]; /* cuGetProcAddress, cuGetProcAddress_v2 */
	void *_Atomic export_table;	   /* of the simulated driver (export_table.h) */
	atomic_uint driver_known;
	atomic_int asker; /* process that asked the loader for a driver; 0: none */
	struct sc_driver calls;
};

/* What was found in the parent is there in the child of a fork. */
extern struct sc_entries sc_entries;

/* The symbol of a row ("cuMemcpyHtoD_v2_ptds"); NULL if the row has no per-thread form. */
const char *sc_entry_name(int row, bool per_thread);
/* The loaded libcuda, or NULL. */
void *sc_entry_library(void);
/* The real entry point of a row; NULL if libcuda is not loaded or lacks it. */
void *sc_entry_find(int row, bool per_thread);
/* Remembers the pointer that dlsym or cuGetProcAddress gave for a row. */
void sc_entry_learn(int row, bool per_thread, void *function);
