/* Generated: suppressions for the findings of a run, each once, printed or added to a file. */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

/* True if option gen-suppressions asks for them. */
bool sc_generated_is_asked(const char *option);
/* Adds an entry (cmds/judge/suppression.h) to `all`, unless one with the same patterns is there. */
void sc_generated_add(struct sc_buf *all, const char *entry);
/* Prints them, or adds to the file that the option names those that are not in it; other processes
 * may do so at the same time. Returns 0 or -errno. */
int sc_generated_write(const struct sc_buf *all, const char *option);
