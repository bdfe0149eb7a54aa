/* Help: the options that a command uses (use.def), in groups, and examples (example.def). */
#ifndef SC_CMDS_HELP_H
#define SC_CMDS_HELP_H

#include "base/buf.h"
#include "cmds/command.h"

/* Appends the options of a command under their headings; nothing if it has none. */
void sc_help_add_options(struct sc_buf *out, const struct sc_command *command);
/* Calls back with each example of a command, of all commands for NULL. */
void sc_help_examples(const struct sc_command *command,
		      void (*take)(void *context, const char *line, const char *what),
		      void *context);

#endif
