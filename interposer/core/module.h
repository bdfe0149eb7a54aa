/* Modules: rooms that keep state of their own, and what they do in the life of a session.
 *
 * A module is a constant of its own source file, named in module.def. What is not linked (a unit
 * test has only what it uses) is left out.
 */
#pragma once

#include <link.h>
#include <stddef.h>

/* Each hook may be NULL. Those of the session but `forget` run with sc_self.busy raised. */
struct sc_module {
	void (*begin)(void); /* the trace is open: what stands at its beginning */
	void (*live)(void);  /* the session is live from here on */
	/* The scan of ranges found code that is new, in the file of this name; something else may
	 * have been at its addresses before. */
	void (*loaded)(const struct dl_phdr_info *info, const char *name);
	void (*initialized)(void);	/* the driver was initialized: its devices are there */
	void (*host_function)(void);	/* a host function is about to be enqueued */
	void (*profiler_started)(void); /* the program started its profiler */
	void (*profiler_stopped)(void); /* the program stopped its profiler */
	void (*flush)(void);	    /* the session ends: ops that are not written yet, and counts */
	void (*close)(void);	    /* the op EXIT is written */
	void (*unused)(int status); /* the process ends so, and never had a session */
	void (*calls_gone)(void);   /* the calls that the thread was in never returned */
	void (*thread_end)(void);   /* the thread ends: what is kept of it passes to others */
	void (*forget)(void);	    /* in the child of a fork: back to where the process began */
	void *state; /* of `bytes`: zeros again after `forget`; NULL: forget does it all */
	size_t bytes;
};

#define SC_MODULE_STATE(variable) .state = &(variable), .bytes = sizeof(variable)

#define MODULE(name) extern const struct sc_module sc_module_##name __attribute__((weak));
#include "interposer/core/module.def"
#undef MODULE

void sc_modules_begin(void);
void sc_modules_live(void);
void sc_modules_loaded(const struct dl_phdr_info *info, const char *name);
void sc_modules_initialized(void);
void sc_modules_host_function(void);
void sc_modules_profiler_started(void);
void sc_modules_profiler_stopped(void);
void sc_modules_flush(void);
void sc_modules_close(void);
void sc_modules_unused(int status);
void sc_modules_calls_gone(void);
void sc_modules_thread_end(void);
void sc_modules_forget(void);
