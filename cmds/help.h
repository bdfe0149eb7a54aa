/* Help: the options that a command uses (use.def), in groups, and examples (example.def). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "cmds/command.h"

/* Appends the options of a command under their headings; nothing if it has none. */
void sc_help_add_options(struct sc_buf *out, const struct sc_command *command);
/* True if the command uses an option, by its row of base/option.def. */
bool sc_help_is_used(const struct sc_command *command, size_t option);
/* Calls back with each example of a command, of all commands for NULL. */
void sc_help_examples(const struct sc_command *command,
		      void (*take)(void *context, const char *line, const char *what),
		      void *context);
