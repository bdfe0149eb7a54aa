/* The variables of the environment that say what to do, as the process got them: a program may
 * clear its environment, or write over where it lies, before it uses CUDA. What it sets itself
 * counts. */
#pragma once

#include <stddef.h>
#include "base/option.h"

#define SC_VARIABLE_BYTES 32768 /* of a value that is kept; a longer one is not */

enum sc_environment_variable {
	SC_VARIABLE_OPTIONS,
	SC_VARIABLE_COLLECT,
	SC_VARIABLE_TMPDIR,
	SC_VARIABLE_HOME,
	SC_VARIABLE_TRITON_CACHE_DIR,
	SC_VARIABLE_TRITON_HOME,
	SC_VARIABLE_TEXTS,
	SC_VARIABLE_ROOT,
	SC_VARIABLES
};

/* Keeps them all; when the library is loaded. */
void sc_environment_keep(void);
/* The value now, else the one that was kept, else NULL. Borrowed from the environment, or for ever.
 */
const char *sc_environment_value(enum sc_environment_variable number);

/* The options of the variable and of the file that it or the current folder chooses; those that
 * `streamcheck run` hands over have the file's already. Returns 0 or an error with its message. */
int sc_environment_read_options(struct sc_options *out, char *message, size_t bytes);
