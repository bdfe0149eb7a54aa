/* The CUDA runtime's public names (runtime.S): seen only inside host functions. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

enum sc_runtime_number {
#define RUNTIME(name) SC_RUNTIME_##name,
#include "interposer/runtime/runtime.def"
#undef RUNTIME
	SC_RUNTIMES
};

/* The real functions of each runtime, filled as they are called; read by runtime.S. */
extern void *_Atomic sc_runtime_11[SC_RUNTIMES];
extern void *_Atomic sc_runtime_12[SC_RUNTIMES];
extern void *_Atomic sc_runtime_13[SC_RUNTIMES];

/* Called by runtime.S for the first call of a name and for calls inside host functions: records
 * the latter, returns the real function. */
void *sc_runtime_call(unsigned number, unsigned major);
/* Notes that a launch of this thread failed, for which no call returns an error: whether the thread
 * asks the shared runtime for it is recorded. */
void sc_runtime_failed(void);
/* Records a runtime call inside a host function, by its name. */
void sc_runtime_note(const char *name);
/* A function of the shared runtime that is first in the global scope, else of the newest one that
 * is loaded; NULL if none has it. */
void *sc_runtime_find(const char *name);
/* True if a shared runtime calls through these wrappers. */
bool sc_runtime_is_seen(void);
