/* Commands: the table of `streamcheck NAME ...`, and the exit codes they share. */
#pragma once

#include <stddef.h>
#include "base/message.h"
#include "cmds/process/exit_code.h"

struct sc_command {
	const char *name;
	const char *arguments;
	const char *summary;
	/* argv[0] is the command's name; returns the exit code. NULL: its extension is not there.
	 */
	int (*main)(int argc, char **argv);
};

/* Row of a command name, or NULL. */
const struct sc_command *sc_command_find(const char *name);
/* Row of an index from 0, or NULL after the last. */
const struct sc_command *sc_command_at(size_t index);
/* Ends the tool: there is no such command; says what may be meant. */
_Noreturn void sc_command_die_unknown(const char *name);
/* What the exit codes mean, as lines. */
extern const char sc_command_exit_codes[];
/* Prints the usage of one command, or of all for NULL; returns an exit code. */
int sc_command_print_help(const struct sc_command *command);

#define SC_COMMAND(name, arguments, summary) int sc_cmd_##name(int argc, char **argv);
#include "cmds/command.def"
#undef SC_COMMAND
